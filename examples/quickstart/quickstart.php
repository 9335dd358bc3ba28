<?php
// Calls taxd and checks its webhooks. Needs PHP 8.0 and no extension.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' php quickstart.php calculate
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

/** Posts once. Returns the status, the seconds of Retry-After or null, and the body; status 0 if the connection fails. */
function post(string $url, string $body): array
{
    $headers = ['Content-Type: application/json', 'X-API-Key: ' . getenv('TAXD_KEY')];
    $http = ['method' => 'POST', 'header' => $headers, 'content' => $body, 'timeout' => TIMEOUT_S, 'ignore_errors' => true];
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

/** Returns the status and the document that taxd answers. A calculation changes nothing, so it may be sent again. */
function calculate(array $payload): array
{
    $body = json_encode($payload, JSON_THROW_ON_ERROR);
    for ($attempt = 1; ; $attempt++) {
        [$status, $retry, $answer] = post(getenv('TAXD_ADDRESS') . '/v1/calculate', $body);
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
    if (count($headers) !== (['calculate' => 0, 'webhook' => 3][$command] ?? -1)) {
        fwrite(STDERR, "usage: php quickstart.php calculate | webhook ID TIMESTAMP SIGNATURE <body\n");
        return false;
    }
    if ($command === 'webhook') {
        $body = file_get_contents('php://stdin');
        if (!is_from_taxd(getenv('TAXD_SECRET'), ...[...$headers, $body])) {
            echo "refused\n"; // answer 401
            return false;
        }
        $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        echo "accepted {$event['acao']} {$event['rule_id']}\n"; // answer 204, and work afterwards
        return true;
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
