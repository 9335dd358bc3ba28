// Calls taxd and checks its webhooks. Needs Delphi 10.4 and no component.
//
//     set TAXD_ADDRESS=http://127.0.0.1:8080
//     set TAXD_KEY=<API_KEY>
//     Quickstart calculate
//     Quickstart follow
//     set TAXD_SECRET=whsec_...
//     Quickstart webhook ID TIMESTAMP SIGNATURE BODY_FILE
program Quickstart;

{$APPTYPE CONSOLE}

uses
  System.SysUtils, System.Classes, System.DateUtils, System.Hash, System.IOUtils, System.JSON, System.Math,
  System.NetEncoding, System.Net.HttpClient, System.Net.URLClient;

const
  Attempts = 4;
  TimeoutMs = 10000;
  // A longer Retry-After, as that of a month's quota, is reported instead of waited for.
  LongestWaitS = 60;
  // How much the clocks of the two machines may differ. It also limits how long a stolen delivery can be sent again.
  ToleranceS = 300;

// 502 and 504 come from a proxy in front of taxd.
function IsTemporary(Status: Integer): Boolean;
begin
  Result := (Status = 408) or (Status = 429) or (Status = 500) or ((Status >= 502) and (Status <= 504));
end;

// Returns the answer of taxd. Each call here may be sent again: a calculation changes nothing, and a list that is kept twice
// is the same.
function Call(Client: THTTPClient; const Method, Path, Document: string): IHTTPResponse;
var
  Attempt, Wait: Integer;
  Body: TStringStream;
  Headers: TNetHeaders;
  Url: string;
begin
  Url := GetEnvironmentVariable('TAXD_ADDRESS') + Path;
  Headers := [TNameValuePair.Create('Content-Type', 'application/json'),
    TNameValuePair.Create('X-API-Key', GetEnvironmentVariable('TAXD_KEY'))];
  for Attempt := 1 to Attempts do
  begin
    Wait := 1 shl (Attempt - 1);
    Body := TStringStream.Create(Document, TEncoding.UTF8);
    try
      try
        if Method = 'GET' then
          Result := Client.Get(Url, nil, Headers)
        else if Method = 'PUT' then
          Result := Client.Put(Url, Body, nil, Headers)
        else
          Result := Client.Post(Url, Body, nil, Headers);
        Wait := StrToIntDef(Result.HeaderValue['Retry-After'], Wait);
        if not IsTemporary(Result.StatusCode) or (Wait > LongestWaitS) or (Attempt = Attempts) then
          Exit;
      except
        on ENetException do
          if Attempt = Attempts then
            raise;
      end;
    finally
      Body.Free;
    end;
    Sleep(Wait * 1000);
  end;
end;

function Calculate(Client: THTTPClient; const Ncm, Amount: string): IHTTPResponse;
const
  Payload = '{"tributo": "ipi", "ncm": "%s", "valor_produto": "%s", "data_operacao": "2026-03-10"}';
begin
  Result := Call(Client, 'POST', '/v1/calculate', Format(Payload, [Ncm, Amount]));
end;

// Prints an answer, or the fields at fault. Amounts are texts with a dot: read them into BCD or Currency, never Double.
function Show(const Answer: IHTTPResponse): Boolean;
var
  Document, Fault: TJSONValue;
  Faults: TJSONArray;
begin
  // A proxy in front of taxd answers a page of HTML, of which no document can be made.
  Document := TJSONObject.ParseJSONValue(Answer.ContentAsString(TEncoding.UTF8), False, False);
  if Document = nil then
  begin
    Writeln(Answer.StatusCode, ' no_taxd: the answer is not from taxd: is there a proxy in front of it?');
    Exit(False);
  end;
  try
    Result := Answer.StatusCode = 200;
    if Result then
      Writeln('valor ', Document.GetValue<string>('valor'), ', regra ', Document.GetValue<string>('regra.rule_id'))
    else
    begin
      // `codigo` is for programs, `detail` for people.
      Writeln(Answer.StatusCode, ' ', Document.GetValue<string>('codigo'), ': ', Document.GetValue<string>('detail'));
      if Document.TryGetValue<TJSONArray>('erros', Faults) then
        for Fault in Faults do
          Writeln('  ', Fault.GetValue<string>('campo'), ' ', Fault.GetValue<string>('codigo'), ': ',
            Fault.GetValue<string>('detail'));
    end;
  finally
    Document.Free;
  end;
end;

// Compares in a time that does not depend on where the texts differ.
function IsEqual(const A, B: string): Boolean;
var
  I, Difference: Integer;
begin
  Difference := Length(A) xor Length(B);
  for I := 1 to Min(Length(A), Length(B)) do
    Difference := Difference or (Ord(A[I]) xor Ord(B[I]));
  Result := Difference = 0;
end;

// Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed.
function IsFromTaxd(const Secret, Id, Timestamp, Signatures: string; const Body: TBytes): Boolean;
const
  Prefix = 'whsec_';
var
  Sent: Int64;
  Key: TBytes;
  Expected, One: string;
begin
  Result := False;
  if not TryStrToInt64(Timestamp, Sent) or (Abs(DateTimeToUnix(Now, False) - Sent) > ToleranceS) then
    Exit;
  if Secret.StartsWith(Prefix) then
    Key := TNetEncoding.Base64.DecodeStringToBytes(Secret.Substring(Length(Prefix)))
  else
    Key := TEncoding.UTF8.GetBytes(Secret);
  Expected := 'v1,' + TNetEncoding.Base64.EncodeBytesToString(
    THashSHA2.GetHMACAsBytes(TEncoding.UTF8.GetBytes(Id + '.' + Timestamp + '.') + Body, Key));
  // There are two signatures while the secret is being replaced.
  for One in Signatures.Split([' ']) do
    Result := IsEqual(Expected, One) or Result;
end;

function IsAccepted: Boolean;
var
  Body: TBytes;
  Event: TJSONValue;
  OfWhat: string;
begin
  Body := TFile.ReadAllBytes(ParamStr(5));
  Result := IsFromTaxd(GetEnvironmentVariable('TAXD_SECRET'), ParamStr(2), ParamStr(3), ParamStr(4), Body);
  if not Result then
  begin
    Writeln('refused'); // Answer 401.
    Exit;
  end;
  Event := TJSONObject.ParseJSONValue(TEncoding.UTF8.GetString(Body), False, True);
  try
    // `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
    if not Event.TryGetValue<string>('lista', OfWhat) then
      OfWhat := Event.GetValue<string>('rule_id');
    // Answer 204, and work afterwards.
    Writeln('accepted ', Event.GetValue<string>('acao'), ' ', OfWhat);
  finally
    Event.Free;
  end;
end;

function Parsed(const Answer: IHTTPResponse): TJSONValue;
begin
  Result := TJSONObject.ParseJSONValue(Answer.ContentAsString(TEncoding.UTF8), False, True);
end;

// The amount, or the code of a refusal.
function Outcome(const Side: TJSONValue): string;
begin
  if not Side.TryGetValue<string>('valor', Result) then
    Result := Side.GetValue<string>('codigo');
end;

procedure ShowChanges(const Page: TJSONValue);
var
  Change: TJSONValue;
begin
  for Change in Page.GetValue<TJSONArray>('mudancas') do
    Writeln('  linha ', Change.GetValue<Integer>('linha'), ' ', Change.GetValue<string>('situacao'), ': ',
      Outcome(Change.GetValue<TJSONValue>('antes')), ' -> ', Outcome(Change.GetValue<TJSONValue>('depois')));
end;

// The differences: what is right less what was answered.
procedure ShowCorrections(const Page: TJSONValue);
var
  Correction, Month: TJSONValue;
begin
  for Correction in Page.GetValue<TJSONArray>('correcoes') do
    for Month in Correction.GetValue<TJSONArray>('meses') do
      Writeln('correção ', Month.GetValue<string>('mes'), ' ', Month.GetValue<string>('tributo'), ': ',
        Month.GetValue<Integer>('chamadas'), ' chamadas, ', Month.GetValue<string>('diferenca'));
end;

// Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure.
function IsFollowed(Client: THTTPClient): Boolean;
const
  // A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
  Line = '{"id": "agua", "tributo": "ipi", "payload": {"ncm": "22021000", "valor_produto": "500.00", "data_operacao": "2026-03-10"}}';
  Cbs = '{"tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0", ' +
    '"valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": true, "optante_simples": false, ' +
    '"transicao": true, "data_operacao": "2027-03-10"}';
var
  Answer: IHTTPResponse;
  Page: TJSONValue;
begin
  Answer := Call(Client, 'PUT', '/v1/listas/quickstart', Line);
  if Answer.StatusCode <> 200 then
    Exit(Show(Answer));
  Page := Parsed(Answer);
  try
    Writeln('lista ', Page.GetValue<string>('nome'), ': ', Page.GetValue<Integer>('linhas'), ' linhas, ',
      Page.GetValue<Integer>('mudancas'), ' mudanças');
  finally
    Page.Free;
  end;
  Page := Parsed(Call(Client, 'GET', '/v1/listas/quickstart/mudancas?limit=20', ''));
  try
    ShowChanges(Page);
  finally
    Page.Free;
  end;
  Page := Parsed(Call(Client, 'GET', '/v1/correcoes', ''));
  try
    ShowCorrections(Page);
  finally
    Page.Free;
  end;
  Answer := Call(Client, 'POST', '/v1/calculate?supondo=cbs.aliquota:8.80', Cbs);
  Result := Show(Answer);
  if not Result then
    Exit;
  Page := Parsed(Answer);
  try
    // Not law: this sentence is always the first. Show it beside the amount.
    Writeln('  ', Page.GetValue<string>('avisos[0]'));
  finally
    Page.Free;
  end;
end;

function IsCalculated: Boolean;
var
  Client: THTTPClient;
begin
  Client := THTTPClient.Create;
  try
    Client.ConnectionTimeout := TimeoutMs;
    Client.ResponseTimeout := TimeoutMs;
    if ParamStr(1) = 'follow' then
      Exit(IsFollowed(Client));
    Result := Show(Calculate(Client, '22030000', '1000.00'));
    // What is wrong with a payload is answered too, field by field.
    if Result then
      Show(Calculate(Client, '2203', '-1'));
  finally
    Client.Free;
  end;
end;

begin
  if (ParamStr(1) = 'webhook') and (ParamCount = 5) then
    ExitCode := Ord(not IsAccepted)
  else if ((ParamStr(1) = 'calculate') or (ParamStr(1) = 'follow')) and (ParamCount = 1) then
    ExitCode := Ord(not IsCalculated)
  else
  begin
    Writeln(ErrOutput, 'usage: Quickstart calculate | follow | webhook ID TIMESTAMP SIGNATURE BODY_FILE');
    ExitCode := 1;
  end;
end.
