// Calls taxd and checks its webhooks. Needs Node.js 18 and no package.
//
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' node quickstart.mjs calculate
//     TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' node quickstart.mjs follow
//     TAXD_SECRET='whsec_...' node quickstart.mjs webhook ID TIMESTAMP SIGNATURE <body

import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const ATTEMPTS = 4;
const TIMEOUT_MS = 10_000;
// A longer Retry-After, as that of a month's quota, is reported instead of waited for.
const LONGEST_WAIT_S = 60;
// How much the clocks of the two machines may differ. It also limits for how long a stolen delivery can be sent again.
const TOLERANCE_S = 300;
// 502 and 504 come from a proxy in front of taxd.
const TEMPORARY = [408, 429, 500, 502, 503, 504];

const calculate = (payload, query = "") => call("POST", `/v1/calculate${query}`, payload);

/**
 * Returns the status and the document that taxd answers. Each call here may be sent again: a calculation changes nothing, and
 * a list that is kept twice is the same.
 */
async function call(method, path, document) {
  const url = process.env.TAXD_ADDRESS + path;
  const headers = { "Content-Type": "application/json", "X-API-Key": process.env.TAXD_KEY };
  for (let attempt = 1; ; attempt++) {
    let wait = 2 ** (attempt - 1);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url, { method, headers, body: document && JSON.stringify(document), signal });
      const text = await answer.text();
      wait = Number(answer.headers.get("Retry-After") ?? wait);
      if (!TEMPORARY.includes(answer.status) || wait > LONGEST_WAIT_S || attempt === ATTEMPTS) {
        return [answer.status, documentOf(text)];
      }
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await sleep(wait * 1000);
  }
}

/** Returns the document that taxd answers. A proxy in front of it answers a page of HTML instead. */
function documentOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { codigo: "no_taxd", detail: "the answer is not from taxd: is there a proxy in front of it?" };
  }
}

/** Prints an answer, or the fields at fault. Amounts are texts: keep them so, or use a decimal type, never a number. */
function show([status, answer]) {
  if (status === 200) {
    console.log(`valor ${answer.valor}, regra ${answer.regra.rule_id}`);
    return true;
  }
  // `codigo` is for programs, `detail` for people.
  console.log(`${status} ${answer.codigo}: ${answer.detail}`);
  for (const fault of answer.erros ?? []) console.log(`  ${fault.campo} ${fault.codigo}: ${fault.detail}`);
  return false;
}

/** Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure. */
async function follow() {
  // A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
  const line = { id: "agua", tributo: "ipi", payload: { ncm: "22021000", valor_produto: "500.00", data_operacao: "2026-03-10" } };
  const [status, kept] = await call("PUT", "/v1/listas/quickstart", line);
  if (status !== 200) return show([status, kept]);
  console.log(`lista ${kept.nome}: ${kept.linhas} linhas, ${kept.mudancas} mudanças`);
  const [, { mudancas }] = await call("GET", "/v1/listas/quickstart/mudancas?limit=20");
  for (const { linha, situacao, antes, depois } of mudancas) {
    console.log(`  linha ${linha} ${situacao}: ${antes.valor ?? antes.codigo} -> ${depois.valor ?? depois.codigo}`);
  }
  // What is right less what was answered.
  const [, { correcoes }] = await call("GET", "/v1/correcoes");
  for (const month of correcoes.flatMap((correction) => correction.meses)) {
    console.log(`correção ${month.mes} ${month.tributo}: ${month.chamadas} chamadas, ${month.diferenca}`);
  }
  const payload = { tributo: "cbs", valor_operacao: "1000.00", data_operacao: "2027-03-10" };
  for (const name of ["icms", "iss", "pis", "cofins", "ipi"]) payload[`valor_${name}`] = "0";
  Object.assign(payload, { cumpre_obrigacoes_acessorias: true, optante_simples: false, transicao: true });
  const answer = await calculate(payload, "?supondo=cbs.aliquota:8.80");
  if (!show(answer)) return false;
  // Not law: this sentence is always the first. Show it beside the amount.
  console.log(`  ${answer[1].avisos[0]}`);
  return true;
}

/** Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed. */
function isFromTaxd(secret, id, timestamp, signatures, body) {
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const prefix = "whsec_";
  const key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);
  const tag = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const expected = Buffer.from(`v1,${tag}`);
  // There are two signatures while the secret is being replaced.
  return signatures.split(" ").some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function main(command, ...headers) {
  if (headers.length !== { calculate: 0, follow: 0, webhook: 3 }[command]) {
    console.error("usage: node quickstart.mjs calculate | follow | webhook ID TIMESTAMP SIGNATURE <body");
    return false;
  }
  if (command === "webhook") {
    const body = readFileSync(0);
    if (!isFromTaxd(process.env.TAXD_SECRET, ...headers, body)) {
      console.log("refused"); // answer 401
      return false;
    }
    const event = JSON.parse(body);
    // `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
    console.log(`accepted ${event.acao} ${event.lista ?? event.rule_id}`); // answer 204, and work afterwards
    return true;
  }
  if (command === "follow") return follow();
  const payload = { tributo: "ipi", ncm: "22030000", valor_produto: "1000.00", data_operacao: "2026-03-10" };
  if (!show(await calculate(payload))) return false;
  // What is wrong with a payload is answered too, field by field.
  show(await calculate({ ...payload, ncm: "2203", valor_produto: "-1" }));
  return true;
}

process.exitCode = (await main(...process.argv.slice(2))) ? 0 : 1;
