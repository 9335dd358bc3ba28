// Calls taxd and checks its webhooks. Needs .NET 10, and no package; with an older one, a console project with this file.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' dotnet run Quickstart.cs calculate
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

    // Returns the status and the document that taxd answers. A calculation changes nothing, so it may be sent again.
    static async Task<(int Status, JsonElement Document)> Calculate(string ncm, string amount)
    {
        var payload = "{\"tributo\": \"ipi\", \"ncm\": \"" + ncm + "\", \"valor_produto\": \"" + amount
            + "\", \"data_operacao\": \"2026-03-10\"}";
        for (var attempt = 1; ; attempt++)
        {
            var wait = TimeSpan.FromSeconds(1 << (attempt - 1));
            try
            {
                var request = new HttpRequestMessage(HttpMethod.Post, Setting("TAXD_ADDRESS") + "/v1/calculate");
                request.Headers.Add("X-API-Key", Setting("TAXD_KEY"));
                request.Content = new StringContent(payload, Encoding.UTF8, "application/json");
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
        if (arguments.Length != (command == "calculate" ? 1 : command == "webhook" ? 4 : -1))
        {
            Console.Error.WriteLine("usage: dotnet run Quickstart.cs calculate | webhook ID TIMESTAMP SIGNATURE <body");
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
            // Answer 204, and work afterwards.
            Console.WriteLine($"accepted {words.GetProperty("acao")} {words.GetProperty("rule_id")}");
            return 0;
        }
        if (!Show(await Calculate("22030000", "1000.00"))) return 1;
        // What is wrong with a payload is answered too, field by field.
        Show(await Calculate("2203", "-1"));
        return 0;
    }
}
