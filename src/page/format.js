// Between what a Brazilian writes and reads (1.234,56; 31/12/2026) and what travels
// (1234.56; 2026-12-31).

const grouped = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/;

// Converts a typed number to contract form. Comma is the decimal mark. A single dot is one too, as in
// 1234.56 — but before exactly three digits (1.234) it groups thousands, as a Brazilian writes it;
// the form says so. Anything else is sent unchanged; the server reports the fault.
export function readDecimal(typed) {
  const text = typed.replace(/^R\$/i, "").replace(/[\s\u00a0]/g, "");
  const [, sign, digits] = /^(-?)(.*)$/.exec(text);
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
  const mark = digits[last];
  if (last < 0) return { sent: text };
  const [whole, fraction] = [digits.slice(0, last), digits.slice(last + 1)];
  const both = digits.includes(",") && digits.includes(".");
  if (!both && mark === "." && grouped.test(digits) && digits[0] !== "0") {
    const sent = sign + digits.replaceAll(".", "");
    return { sent, note: whole.includes(".") ? undefined : "ponto lido como milhar" };
  }
  if (!/^\d*$/.test(fraction)) return { sent: text };
  if (whole === "" && fraction !== "") return { sent: `${sign}0.${fraction}` };
  if (/^\d+$/.test(whole)) return { sent: fraction === "" ? sign + whole : `${sign}${whole}.${fraction}` };
  const group = grouped.exec(whole);
  if (group && group[1] !== mark) return { sent: sign + whole.replaceAll(group[1], "") + (fraction && `.${fraction}`) };
  return { sent: text };
}

// The date that will be sent: of dd/mm/aaaa, dd/mm/aa (from 1970 to 2069) or ddmmaaaa. A text that is not a date is
// sent as it is.
export function readDate(typed) {
  const text = typed.trim();
  const parts = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$/.exec(text) ?? /^(\d{2})(\d{2})(\d{4})$/.exec(text);
  if (!parts) return text;
  const [, day, month, year] = parts;
  const century = year.length === 4 ? "" : year < "70" ? "20" : "19";
  return `${century}${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

// The instant that will be sent: of dd/mm/aaaa hh:mm in the time of Brasília, or of a day alone, which is its last
// second, or now if it is today.
export function readInstant(typed) {
  const text = typed.trim();
  const [, written, hour, rest] = /^(\S+)(?: +(\d\d?)((?::\d\d){1,2}))?$/.exec(text) ?? [];
  const day = readDate(written ?? "");
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return text;
  if (hour) return `${day}T${hour.padStart(2, "0")}${rest.padEnd(6, ":00")}-03:00`;
  const now = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 19);
  return `${now.startsWith(day) ? now : `${day}T23:59:59`}-03:00`;
}

// The instant of the service, in the time of Brasília, to the next whole second.
function inBrasilia(utc) {
  const second = Math.ceil(Date.parse(utc) / 1000) - 3 * 3600;
  return `${new Date(second * 1000).toISOString().slice(0, 19)}-03:00`;
}

// The same instant as people write it.
export function knownInstant(sent) {
  const brasilia = /Z$/.test(sent) ? inBrasilia(sent) : sent;
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)-03:00$/.exec(brasilia) ?? [];
  if (!day) return sent;
  return time === "23:59:59" ? date(day) : `${date(day)} ${time.replace(/:00$/, "")}`;
}

// The code that will be sent, by the declared example of its kind. Codes of digits may have the points that people
// write in them (2203.00.00). A subitem of the list of services (N.NN) may be written as 1.7, 0107 or 01.07, or by the
// national code of six digits, of which the list has the first four.
export function readCode(example, typed) {
  const text = typed.trim();
  const digits = text.replace(/[.\s/-]/g, "");
  if (!/^\d+$/.test(digits)) return { sent: text };
  if (/^\d+$/.test(example)) return { sent: digits };
  if (!/^\d+\.\d\d$/.test(example)) return { sent: text };
  const national = /^(\d{1,2})(\d\d)\d\d$/.exec(digits);
  const parts = national ?? /^(\d{1,2})\.(\d{1,2})$/.exec(text) ?? /^(\d\d)(\d\d)$/.exec(text);
  if (!parts) return { sent: text };
  return { sent: `${Number(parts[1])}.${parts[2].padStart(2, "0")}`, note: national ? "do código nacional" : undefined };
}

// The value of a list that a text names, in either case (`sp`); else the text.
export const readWord = (values, typed) => values.find((value) => value.toLowerCase() === typed.trim().toLowerCase()) ?? typed.trim();

// A sent decimal as people read it, with every place that it has.
export function decimal(sent) {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(sent));
  if (!parts) return String(sent);
  const whole = parts[2].replace(/\B(?=(\d{3})+$)/g, ".");
  return `${parts[1] ? "−" : ""}${whole}${parts[3] === undefined ? "" : `,${parts[3]}`}`;
}

// The same for an input, in which a minus sign is a hyphen.
export const decimalInput = (sent) => decimal(sent).replace("−", "-");

export const percent = (sent) => `${decimal(sent)} %`;

export const money = (sent) => `R$\u00a0${decimal(sent)}`;

const cents = (sent) => {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(sent);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, "0")}`);
};

const ofCents = (all) => {
  const digits = String(all < 0n ? -all : all).padStart(3, "0");
  return `${all < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

// The sum and the difference of amounts of two places.
export const added = (amounts) => ofCents(amounts.reduce((sum, amount) => sum + cents(amount), 0n));
export const difference = (from, to) => ofCents(cents(to) - cents(from));

// A difference with its sign.
export const signedMoney = (sent) => (sent.startsWith("-") ? `−${money(sent.slice(1))}` : `${/[1-9]/.test(sent) ? "+" : ""}${money(sent)}`);

export const integer = (value) => Number(value).toLocaleString("pt-BR");

// How many there are of something.
export const counted = (n, one, many = `${one}s`) => `${integer(n)} ${n === 1 ? one : many}`;

export function date(iso) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(String(iso));
  return parts ? `${parts[3]}/${parts[2]}/${parts[1]}` : String(iso);
}

// The day before: `vigente_ate` is the first day on which a rule no longer answers.
export function dayBefore(iso) {
  const day = new Date(`${iso}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

// What the validity of a rule says, and what it does not: a rule has no day on which its law began.
export const ANSWERS = "O taxd responde";
export const FIRST_DAY = "O primeiro dia é aquele desde que o taxd responde por esta regra: a lei pode ser mais antiga.";

export function validity(from, until) {
  if (!until) return `desde ${date(from)}, sem data de término`;
  if (until <= from) return `de ${date(from)}; substituída por inteiro, não vale em dia nenhum`;
  return `de ${date(from)} a ${date(dayBefore(until))}`;
}

export const today = () => new Date().toLocaleDateString("sv-SE");

// An instant in the reader's own time.
export const instant = (iso) => new Date(iso).toLocaleString("pt-BR", { dateStyle: "short", timeStyle: "medium" });

// The time of the clock.
export const time = () => new Date().toLocaleTimeString("pt-BR", { timeStyle: "short" });

export const day = (iso) => new Date(iso).toLocaleDateString("pt-BR", { day: "2-digit", month: "2-digit", year: "numeric" });

export const versionOf = (ruleId) => {
  const parts = /^(.*)-v(\d+\.\d+)$/.exec(ruleId);
  return parts ? { code: parts[1], version: parts[2] } : { code: ruleId, version: "" };
};
