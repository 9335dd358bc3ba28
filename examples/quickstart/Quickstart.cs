// Calls taxd and checks its webhooks. Needs .NET 10, and no package; with an older one, a console project with this file.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' dotnet run Quickstart.cs calculate
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' dotnet run Quickstart.cs follow
//     TAXD_SECRET='whsec_...' dotnet run Quickstart.cs webhook ID TIMESTAMP SIGNATURE <body

using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

public static class Quickstart
{
    const int Attempts = 4;
    // A longer Retry-After, as that of a month's quota, is reported instead of waited for.
    static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(60);
    // How much the clocks of the two machines may differ. It also limits how long a stolen delivery can be sent again.
    const long ToleranceSeconds = 300;
    // 502 and 504 come from a proxy in front of taxd.
    static readonly int[] Temporary = { 408, 429, 500, 502, 503, 504 };
    static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };

    static string Setting(string name) =>
        Environment.GetEnvironmentVariable(name) ?? throw new InvalidOperationException(name + " is not set");

    static Task<(int Status, JsonElement Document)> Calculate(string ncm, string amount) => Call(HttpMethod.Post,
        "/v1/calculate", "{\"tributo\": \"ipi\", \"ncm\": \"" + ncm + "\", \"valor_produto\": \"" + amount
            + "\", \"data_operacao\": \"2026-03-10\"}");

    // Returns the status and the document that taxd answers. Each call here may be sent again: a calculation changes nothing,
    // and a list that is kept twice is the same.
    static async Task<(int Status, JsonElement Document)> Call(HttpMethod method, string path, string body = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            var wait = TimeSpan.FromSeconds(1 << (attempt - 1));
            try
            {
                var request = new HttpRequestMessage(method, Setting("TAXD_ADDRESS") + path);
                request.Headers.Add("X-API-Key", Setting("TAXD_KEY"));
                if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
                using (var answer = await Client.SendAsync(request))
                {
                    var text = await answer.Content.ReadAsStringAsync();
                    var status = (int)answer.StatusCode;
                    wait = answer.Headers.RetryAfter?.Delta ?? wait;
                    if (!Temporary.Contains(status) || wait > LongestWait || attempt == Attempts)
                    {
                        return (status, DocumentOf(text));
                    }
                }
            }
            // A failed connection, or no answer in time.
            catch (HttpRequestException) when (attempt < Attempts) { }
            catch (TaskCanceledException) when (attempt < Attempts) { }
            await Task.Delay(wait);
        }
    }

    // Returns the document that taxd answers. A proxy in front of it answers a page of HTML instead.
    static JsonElement DocumentOf(string text)
    {
        const string other = "{\"codigo\": \"no_taxd\", \"detail\": \"the answer is not from taxd: is there a proxy in front of it?\"}";
        try { return JsonDocument.Parse(text).RootElement; }
        catch (JsonException) { return JsonDocument.Parse(other).RootElement; }
    }

    // Prints an answer, or the fields at fault. Amounts are texts: make decimals of them, never doubles.
    static bool Show((int Status, JsonElement Document) answer)
    {
        var document = answer.Document;
        if (answer.Status == 200)
        {
            var rule = document.GetProperty("regra").GetProperty("rule_id");
            Console.WriteLine($"valor {document.GetProperty("valor")}, regra {rule}");
            return true;
        }
        // `codigo` is for programs, `detail` for people.
        Console.WriteLine($"{answer.Status} {document.GetProperty("codigo")}: {document.GetProperty("detail")}");
        if (document.TryGetProperty("erros", out var faults))
        {
            foreach (var fault in faults.EnumerateArray())
            {
                var code = fault.GetProperty("codigo");
                Console.WriteLine($"  {fault.GetProperty("campo")} {code}: {fault.GetProperty("detail")}");
            }
        }
        return false;
    }

    // Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure.
    static async Task<bool> Follow()
    {
        // A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
        const string line =
            "{\"id\": \"agua\", \"tributo\": \"ipi\", \"payload\": {\"ncm\": \"22021000\", \"valor_produto\": \"500.00\", \"data_operacao\": \"2026-03-10\"}}";
        var put = await Call(HttpMethod.Put, "/v1/listas/quickstart", line);
        if (put.Status != 200) return Show(put);
        var kept = put.Document;
        Console.WriteLine(
            $"lista {kept.GetProperty("nome")}: {kept.GetProperty("linhas")} linhas, {kept.GetProperty("mudancas")} mudanças");
        var changes = await Call(HttpMethod.Get, "/v1/listas/quickstart/mudancas?limit=20");
        foreach (var change in changes.Document.GetProperty("mudancas").EnumerateArray())
        {
            var (before, after) = (Outcome(change.GetProperty("antes")), Outcome(change.GetProperty("depois")));
            Console.WriteLine(
                $"  linha {change.GetProperty("linha")} {change.GetProperty("situacao")}: {before} -> {after}");
        }
        // What is right less what was answered.
        var corrections = await Call(HttpMethod.Get, "/v1/correcoes");
        foreach (var correction in corrections.Document.GetProperty("correcoes").EnumerateArray())
        {
            foreach (var month in correction.GetProperty("meses").EnumerateArray())
            {
                var (calls, difference) = (month.GetProperty("chamadas"), month.GetProperty("diferenca"));
                Console.WriteLine(
                    $"correção {month.GetProperty("mes")} {month.GetProperty("tributo")}: {calls} chamadas, {difference}");
            }
        }
        const string cbs = "{\"tributo\": \"cbs\", \"valor_operacao\": \"1000.00\", \"valor_icms\": \"0\", \"valor_iss\": \"0\", "
            + "\"valor_pis\": \"0\", \"valor_cofins\": \"0\", \"valor_ipi\": \"0\", \"cumpre_obrigacoes_acessorias\": true, "
            + "\"optante_simples\": false, \"transicao\": true, \"data_operacao\": \"2027-03-10\"}";
        var supposed = await Call(HttpMethod.Post, "/v1/calculate?supondo=cbs.aliquota:8.80", cbs);
        if (!Show(supposed)) return false;
        // Not law: this sentence is always the first. Show it beside the amount.
        Console.WriteLine($"  {supposed.Document.GetProperty("avisos")[0]}");
        return true;
    }

    static JsonElement Outcome(JsonElement side) =>
        side.TryGetProperty("valor", out var amount) ? amount : side.GetProperty("codigo");

    // Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed.
    static bool IsFromTaxd(string secret, string id, string timestamp, string signatures, byte[] body)
    {
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var sent)) return false;
        var late = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - sent;
        if (late > ToleranceSeconds || late < -ToleranceSeconds) return false;
        const string prefix = "whsec_";
        var encoded = secret.StartsWith(prefix, StringComparison.Ordinal);
        var key = encoded ? Convert.FromBase64String(secret.Substring(prefix.Length)) : Encoding.UTF8.GetBytes(secret);
        var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        var tag = new HMACSHA256(key).ComputeHash(signed);
        var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(tag));
        // There are two signatures while the secret is being replaced.
        var given = signatures.Split(' ').Select(one => Encoding.UTF8.GetBytes(one));
        return given.Any(one => CryptographicOperations.FixedTimeEquals(expected, one));
    }

    public static async Task<int> Main(string[] arguments)
    {
        var command = arguments.Length == 0 ? "" : arguments[0];
        if (arguments.Length != (command == "calculate" || command == "follow" ? 1 : command == "webhook" ? 4 : -1))
        {
            Console.Error.WriteLine("usage: dotnet run Quickstart.cs calculate | follow | webhook ID TIMESTAMP SIGNATURE <body");
            return 1;
        }
        if (command == "webhook")
        {
            var body = new MemoryStream();
            await Console.OpenStandardInput().CopyToAsync(body);
            if (!IsFromTaxd(Setting("TAXD_SECRET"), arguments[1], arguments[2], arguments[3], body.ToArray()))
            {
                Console.WriteLine("refused"); // Answer 401.
                return 1;
            }
            var words = JsonDocument.Parse(body.ToArray()).RootElement;
            // `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
            var of = words.TryGetProperty("lista", out var list) ? list : words.GetProperty("rule_id");
            // Answer 204, and work afterwards.
            Console.WriteLine($"accepted {words.GetProperty("acao")} {of}");
            return 0;
        }
        if (command == "follow") return await Follow() ? 0 : 1;
        if (!Show(await Calculate("22030000", "1000.00"))) return 1;
        // What is wrong with a payload is answered too, field by field.
        Show(await Calculate("2203", "-1"));
        return 0;
    }
}
