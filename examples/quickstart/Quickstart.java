// Calls taxd and checks its webhooks. Needs Java 17 and no library.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' java Quickstart.java calculate
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' java Quickstart.java follow
//     TAXD_SECRET='whsec_...' java Quickstart.java webhook ID TIMESTAMP SIGNATURE <body

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.security.*;
import java.time.*;
import java.util.*;
import java.util.regex.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Quickstart {
    static final int ATTEMPTS = 4;
    static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** A longer Retry-After, as that of a month's quota, is reported instead of waited for. */
    static final long LONGEST_WAIT_S = 60;
    /** How much the clocks of the two machines may differ. It also limits how long a stolen delivery can be sent again. */
    static final long TOLERANCE_S = 300;
    /** 502 and 504 come from a proxy in front of taxd. */
    static final Set<Integer> TEMPORARY = Set.of(408, 429, 500, 502, 503, 504);
    static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static HttpResponse<String> calculate(String ncm, String amount) throws IOException, InterruptedException {
        String payload = """
            {"tributo": "ipi", "ncm": "%s", "valor_produto": "%s", "data_operacao": "2026-03-10"}""".formatted(ncm, amount);
        return call("POST", "/v1/calculate", payload);
    }

    /**
     * Returns the answer of taxd. Each call here may be sent again: a calculation changes nothing, and a list that is kept twice
     * is the same.
     */
    static HttpResponse<String> call(String method, String path, String body) throws IOException, InterruptedException {
        URI url = URI.create(System.getenv("TAXD_ADDRESS") + path);
        var sent = body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest request = HttpRequest.newBuilder(url).timeout(TIMEOUT).header("Content-Type", "application/json")
            .header("X-API-Key", System.getenv("TAXD_KEY")).method(method, sent).build();
        for (int attempt = 1;; attempt++) {
            long wait = 1L << (attempt - 1);
            try {
                var answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
                wait = answer.headers().firstValueAsLong("Retry-After").orElse(wait);
                boolean last = wait > LONGEST_WAIT_S || attempt == ATTEMPTS;
                if (last || !TEMPORARY.contains(answer.statusCode())) return answer;
            } catch (IOException error) {
                if (attempt == ATTEMPTS) throw error;
            }
            Thread.sleep(wait * 1000);
        }
    }

    /** Prints an answer, or the fields at fault. Amounts are texts: make BigDecimal of them, never double. */
    static boolean show(HttpResponse<String> answer) {
        // A proxy in front of taxd answers a page of HTML.
        if (!answer.headers().firstValue("Content-Type").orElse("").contains("json")) {
            String why = "the answer is not from taxd: is there a proxy in front of it?";
            System.out.printf("%d no_taxd: %s%n", answer.statusCode(), why);
            return false;
        }
        var document = (Map<?, ?>) Json.parse(answer.body());
        if (answer.statusCode() == 200) {
            var rule = (Map<?, ?>) document.get("regra");
            System.out.printf("valor %s, regra %s%n", document.get("valor"), rule.get("rule_id"));
            return true;
        }
        // `codigo` is for programs, `detail` for people.
        System.out.printf("%d %s: %s%n", answer.statusCode(), document.get("codigo"), document.get("detail"));
        if (document.get("erros") instanceof List<?> faults) for (Object one : faults) {
            var fault = (Map<?, ?>) one;
            System.out.printf("  %s %s: %s%n", fault.get("campo"), fault.get("codigo"), fault.get("detail"));
        }
        return false;
    }

    /** Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure. */
    static boolean follow() throws IOException, InterruptedException {
        // A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
        var put = call("PUT", "/v1/listas/quickstart", """
            {"id": "agua", "tributo": "ipi", "payload": {"ncm": "22021000", "valor_produto": "500.00", "data_operacao": "2026-03-10"}}""");
        if (put.statusCode() != 200) return show(put);
        var kept = (Map<?, ?>) Json.parse(put.body());
        System.out.printf("lista %s: %s linhas, %s mudanças%n", kept.get("nome"), kept.get("linhas"), kept.get("mudancas"));
        for (var change : members(call("GET", "/v1/listas/quickstart/mudancas?limit=20", ""), "mudancas")) {
            System.out.printf("  linha %s %s: %s -> %s%n", change.get("linha"), change.get("situacao"),
                outcome((Map<?, ?>) change.get("antes")), outcome((Map<?, ?>) change.get("depois")));
        }
        // What is right less what was answered.
        for (var correction : members(call("GET", "/v1/correcoes", ""), "correcoes")) {
            for (Object one : (List<?>) correction.get("meses")) {
                var month = (Map<?, ?>) one;
                System.out.printf("correção %s %s: %s chamadas, %s%n", month.get("mes"), month.get("tributo"),
                    month.get("chamadas"), month.get("diferenca"));
            }
        }
        var supposed = call("POST", "/v1/calculate?supondo=cbs.aliquota:8.80", """
            {"tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
             "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": true, "optante_simples": false,
             "transicao": true, "data_operacao": "2027-03-10"}""");
        if (!show(supposed)) return false;
        // Not law: this sentence is always the first. Show it beside the amount.
        System.out.println("  " + ((List<?>) ((Map<?, ?>) Json.parse(supposed.body())).get("avisos")).get(0));
        return true;
    }

    static List<Map<?, ?>> members(HttpResponse<String> answer, String name) {
        var members = new ArrayList<Map<?, ?>>();
        for (Object one : (List<?>) ((Map<?, ?>) Json.parse(answer.body())).get(name)) members.add((Map<?, ?>) one);
        return members;
    }

    static Object outcome(Map<?, ?> side) {
        return side.containsKey("valor") ? side.get("valor") : side.get("codigo");
    }

    /** Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed. */
    static boolean isFromTaxd(String secret, String id, String timestamp, String signatures, byte[] body) throws Exception {
        if (!timestamp.matches("[0-9]{1,18}")) return false;
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_S) return false;
        String prefix = "whsec_";
        byte[] key = secret.getBytes(UTF_8);
        if (secret.startsWith(prefix)) key = Base64.getDecoder().decode(secret.substring(prefix.length()));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
        // There are two signatures while the secret is being replaced. `isEqual` takes the same time for every wrong one.
        return Arrays.stream(signatures.split(" ")).anyMatch(one -> MessageDigest.isEqual(expected, one.getBytes(UTF_8)));
    }

    public static void main(String[] arguments) throws Exception {
        String command = arguments.length == 0 ? "" : arguments[0];
        if (arguments.length != Map.of("calculate", 1, "follow", 1, "webhook", 4).getOrDefault(command, -1)) {
            System.err.println("usage: java Quickstart.java calculate | follow | webhook ID TIMESTAMP SIGNATURE <body");
            System.exit(1);
        }
        if (command.equals("webhook")) {
            byte[] body = System.in.readAllBytes();
            boolean ours = isFromTaxd(System.getenv("TAXD_SECRET"), arguments[1], arguments[2], arguments[3], body);
            var event = ours ? (Map<?, ?>) Json.parse(new String(body, UTF_8)) : null;
            // `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
            Object of = ours && event.containsKey("lista") ? event.get("lista") : ours ? event.get("rule_id") : "";
            // Answer 204 and work afterwards, or 401.
            System.out.println(ours ? "accepted " + event.get("acao") + " " + of : "refused");
            System.exit(ours ? 0 : 1);
        }
        if (command.equals("follow")) System.exit(follow() ? 0 : 1);
        if (!show(calculate("22030000", "1000.00"))) System.exit(1);
        // What is wrong with a payload is answered too, field by field.
        show(calculate("2203", "-1"));
    }

    /** Java reads no JSON: take a library in its place. This makes maps, lists and texts, without escapes by number. */
    static class Json {
        static Object parse(String text) {
            String token = "[{}\\[\\]:,]|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[^\\s{}\\[\\]:,\"]+";
            var tokens = Pattern.compile(token).matcher(text).results().map(MatchResult::group).iterator();
            return value(tokens.next(), tokens);
        }
        static Object value(String token, Iterator<String> rest) {
            if (token.equals("{")) {
                var members = new HashMap<String, Object>();
                for (String next = rest.next(); !next.equals("}"); next = rest.next()) {
                    if (next.equals(",")) next = rest.next();
                    rest.next();
                    members.put((String) value(next, rest), value(rest.next(), rest));
                }
                return members;
            }
            if (token.equals("[")) {
                var items = new ArrayList<Object>();
                for (String next = rest.next(); !next.equals("]"); next = rest.next())
                    if (!next.equals(",")) items.add(value(next, rest));
                return items;
            }
            return token.startsWith("\"") ? token.substring(1, token.length() - 1).translateEscapes() : token;
        }
    }
}
