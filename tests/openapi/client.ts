// Calls a server with the client that openapi-generator generated: `client.js DESCRIPTION`. What is typed
// here is checked by the compiler; the rest is checked below.

import { CalculoApi, Codigo, Configuration, ContaApi, ProblemaFromJSON, RegrasApi, ResponseError } from ".";
import { Calculate200Response, CalculateRequestFromJSON } from ".";

declare const process: { env: Record<string, string>; argv: string[] };
declare const require: (name: string) => { readFileSync(path: string, encoding: string): string };

function same(given: unknown, wanted: unknown) {
  const [one, other] = [JSON.stringify(given), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} instead of ${other}`);
}

// A component that only this tax has: the union of the answers is told apart by `tributo`.
function own(answer: Calculate200Response): string {
  switch (answer.tributo) {
    case "icms_st": return answer.detalhes.baseCalculoSt;
    case "icms": return answer.detalhes.valorIcms;
    case "icms_consumidor_final": return answer.detalhes.valorDifal ?? answer.detalhes.valorIcms;
    case "simples_nacional": return answer.detalhes.aliquotaNominal;
    case "ipva": return answer.detalhes.categoriaVeiculo;
    case "itcmd": return answer.detalhes.fatoGerador;
    case "iss": return answer.detalhes.precoServico;
    case "iptu": return answer.detalhes.impostoBruto;
    case "itbi": return answer.detalhes.baseMetodo;
    case "ipi": return answer.detalhes.tabelaVersao;
    case "pis": case "cofins": return answer.detalhes.situacao;
    case "cbs": case "ibs": return answer.detalhes.valorDestaque;
    case "irrf_servicos": case "csll_retida": case "pis_retido": case "cofins_retida": case "inss_retido":
      return answer.detalhes.baseCalculo;
    case "iss_retido": return answer.detalhes.localDevido;
  }
}

async function main() {
  const document = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
  const operation = document.paths["/v1/calculate"].post;
  const requests = operation.requestBody.content["application/json"].examples;
  const answers = operation.responses["200"].content["application/json"].examples;
  const configuration = new Configuration({ basePath: process.env.TAXD_ADDRESS, apiKey: process.env.TAXD_KEY });
  const [calculo, regras, conta] = [new CalculoApi(configuration), new RegrasApi(configuration), new ContaApi(configuration)];
  const before = (await conta.showUsage()).totalChamadas;

  const taxes = Object.keys(operation.requestBody.content["application/json"].schema.discriminator.mapping);
  same(Object.keys(requests), taxes);
  for (const tributo of taxes) {
    const calculateRequest = CalculateRequestFromJSON(requests[tributo].value);
    const answer = await calculo.calculate({ calculateRequest, memoria: true });
    const wanted = answers[tributo].value;
    same([answer.tributo, answer.valor, answer.regra.ruleId], [tributo, wanted.valor, wanted.regra.rule_id]);
    same([own(answer).length > 0, answer.detalhes.memoria!.length > 0], [true, true]);
    const page = await regras.listRules({ tributo: answer.tributo, limit: 20 });
    for (const regra of page.regras) same([regra.tributo, regra.vigenteDe instanceof Date, typeof regra.conteudo], [tributo, true, "object"]);
  }

  const wrong = CalculateRequestFromJSON({ ...requests.icms.value, valor_produto: "1.000,00" });
  const refused = await calculo.calculate({ calculateRequest: wrong }).catch((error) => error);
  if (!(refused instanceof ResponseError)) throw refused;
  const problema = ProblemaFromJSON(await refused.response.json());
  same([problema.status, problema.codigo, problema.campo], [422, Codigo.DecimalInvalido, "valor_produto"]);

  const events = await regras.listChanges({ limit: 50 });
  same([events.length, events.every((event) => event.publicadoEm instanceof Date)], [50, true]);
  // A calculation and a list for each tax, the refusal, the changes, and the usage before.
  const consumo = await conta.showUsage();
  same([consumo.totalChamadas - before, consumo.recentes[0].statusCode], [2 * taxes.length + 3, 200]);
  console.log(`the TypeScript client calculated ${taxes.length} taxes, and listed rules, changes and calls`);
}

main();
