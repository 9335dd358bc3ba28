<?php
// Calls taxd and checks its webhooks. Needs PHP 8.0 and no extension.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' php quickstart.php calculate
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' php quickstart.php follow
//     TAXD_SECRET='whsec_...' php quickstart.php webhook ID TIMESTAMP SIGNATURE <body

declare(strict_types=1);

const ATTEMPTS = 4;
const TIMEOUT_S = 10;
// A longer Retry-After, as that of a month's quota, is reported instead of waited for.
const LONGEST_WAIT_S = 60;
// How much the clocks of the two machines may differ. It also limits for how long a stolen delivery can be sent again.
const TOLERANCE_S = 300;
// 502 and 504 come from a proxy in front of taxd. 0 is a failed connection.
const TEMPORARY = [0, 408, 429, 500, 502, 503, 504];

/** Calls once. Returns the status, the seconds of Retry-After or null, and the body; status 0 if the connection fails. */
function once(string $method, string $url, string $body): array
{
    $headers = ['Content-Type: application/json', 'X-API-Key: ' . getenv('TAXD_KEY')];
    $http = ['method' => $method, 'header' => $headers, 'content' => $body, 'timeout' => TIMEOUT_S, 'ignore_errors' => true];
    $stream = @fopen($url, 'rb', false, stream_context_create(['http' => $http]));
    if ($stream === false) {
        return [0, null, ''];
    }
    $answer = stream_get_contents($stream);
    $data = stream_get_meta_data($stream);
    fclose($stream);
    $status = $data['timed_out'] ? 0 : (int) explode(' ', $data['wrapper_data'][0])[1];
    $retry = preg_grep('/^retry-after: *\d+$/i', $data['wrapper_data']);
    return [$status, $retry ? (int) explode(':', current($retry))[1] : null, $answer];
}

function calculate(array $payload, string $query = ''): array
{
    return call('POST', '/v1/calculate' . $query, $payload);
}

/**
 * Returns the status and the document that taxd answers. Each call here may be sent again: a calculation changes nothing, and
 * a list that is kept twice is the same.
 */
function call(string $method, string $path, ?array $document = null): array
{
    $body = $document === null ? '' : json_encode($document, JSON_THROW_ON_ERROR);
    for ($attempt = 1; ; $attempt++) {
        [$status, $retry, $answer] = once($method, getenv('TAXD_ADDRESS') . $path, $body);
        $wait = $retry ?? 2 ** ($attempt - 1);
        if (!in_array($status, TEMPORARY, true) || $wait > LONGEST_WAIT_S || $attempt === ATTEMPTS) {
            break;
        }
        sleep($wait);
    }
    if ($status === 0) {
        throw new RuntimeException('taxd does not answer');
    }
    // A proxy in front of taxd answers a page of HTML.
    $other = ['codigo' => 'no_taxd', 'detail' => 'the answer is not from taxd: is there a proxy in front of it?'];
    return [$status, json_decode($answer, true) ?? $other];
}

/** Prints an answer, or the fields at fault. Amounts are texts: keep them so, or use bcmath, never float. */
function show(int $status, array $document): bool
{
    if ($status === 200) {
        echo "valor {$document['valor']}, regra {$document['regra']['rule_id']}\n";
        return true;
    }
    // `codigo` is for programs, `detail` for people.
    echo "$status {$document['codigo']}: {$document['detail']}\n";
    foreach ($document['erros'] ?? [] as $fault) {
        echo "  {$fault['campo']} {$fault['codigo']}: {$fault['detail']}\n";
    }
    return false;
}

/** Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure. */
function follow(): bool
{
    // A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
    $line = ['id' => 'agua', 'tributo' => 'ipi', 'payload' => ['ncm' => '22021000', 'valor_produto' => '500.00', 'data_operacao' => '2026-03-10']];
    [$status, $kept] = call('PUT', '/v1/listas/quickstart', $line);
    if ($status !== 200) {
        return show($status, $kept);
    }
    echo "lista {$kept['nome']}: {$kept['linhas']} linhas, {$kept['mudancas']} mudanças\n";
    foreach (call('GET', '/v1/listas/quickstart/mudancas?limit=20')[1]['mudancas'] as $change) {
        [$before, $after] = array_map(fn ($side) => $side['valor'] ?? $side['codigo'], [$change['antes'], $change['depois']]);
        echo "  linha {$change['linha']} {$change['situacao']}: $before -> $after\n";
    }
    // What is right less what was answered.
    foreach (call('GET', '/v1/correcoes')[1]['correcoes'] as $correction) {
        foreach ($correction['meses'] as $month) {
            echo "correção {$month['mes']} {$month['tributo']}: {$month['chamadas']} chamadas, {$month['diferenca']}\n";
        }
    }
    $payload = ['tributo' => 'cbs', 'valor_operacao' => '1000.00', 'data_operacao' => '2027-03-10'];
    foreach (['icms', 'iss', 'pis', 'cofins', 'ipi'] as $name) {
        $payload["valor_$name"] = '0';
    }
    $payload += ['cumpre_obrigacoes_acessorias' => true, 'optante_simples' => false, 'transicao' => true];
    [$status, $answer] = calculate($payload, '?supondo=cbs.aliquota:8.80');
    if (!show($status, $answer)) {
        return false;
    }
    // Not law: this sentence is always the first. Show it beside the amount.
    echo "  {$answer['avisos'][0]}\n";
    return true;
}

/** Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed. */
function is_from_taxd(string $secret, string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // There are two signatures while the secret is being replaced.
    foreach (explode(' ', $signatures) as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}

function main(string $command = '', string ...$headers): bool
{
    if (count($headers) !== (['calculate' => 0, 'follow' => 0, 'webhook' => 3][$command] ?? -1)) {
        fwrite(STDERR, "usage: php quickstart.php calculate | follow | webhook ID TIMESTAMP SIGNATURE <body\n");
        return false;
    }
    if ($command === 'webhook') {
        $body = file_get_contents('php://stdin');
        if (!is_from_taxd(getenv('TAXD_SECRET'), ...[...$headers, $body])) {
            echo "refused\n"; // answer 401
            return false;
        }
        $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        // `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
        $of = $event['lista'] ?? $event['rule_id'] ?? '';
        echo "accepted {$event['acao']} $of\n"; // answer 204, and work afterwards
        return true;
    }
    if ($command === 'follow') {
        return follow();
    }
    $payload = ['tributo' => 'ipi', 'ncm' => '22030000', 'valor_produto' => '1000.00', 'data_operacao' => '2026-03-10'];
    if (!show(...calculate($payload))) {
        return false;
    }
    // What is wrong with a payload is answered too, field by field.
    show(...calculate(['ncm' => '2203', 'valor_produto' => '-1'] + $payload));
    return true;
}

exit(main(...array_slice($argv, 1)) ? 0 : 1);
