// The words of the contract (`nao_residencial`) as people read them ("Não residencial"), by their declarations, and the
// names of members that are declared without a label, such as those of a scope.

const ACCENTS = {
  __proto__: null,
  acrescimo: "acréscimo", aliquota: "alíquota", beneficio: "benefício", citacao: "citação", combustiveis: "combustíveis", combustivel: "combustível",
  conferencia: "conferência", descricao: "descrição", excecoes: "exceções", imovel: "imóvel", isencao: "isenção",
  metodo: "método", monofasico: "monofásico", nao: "não", observacoes: "observações", operacao: "operação", reducao: "redução", referencia: "referência",
  situacao: "situação", transacao: "transação", unica: "única", versao: "versão",
};

const CAPITALS = new Set([
  "brl", "cbs", "cest", "cofins", "fcp", "ibs", "icms", "ipi", "iss", "mva", "ncm", "pis", "sfh", "st", "tipi", "uf",
]);

// Names that read badly word by word.
const WHOLE = {
  __proto__: null,
  base: "Base de cálculo",
  aliquota_propria: "Alíquota própria",
  isencao_base_legal: "Dispositivo da isenção",
  motivo_isencao: "Motivo da isenção",
  motivo_zero: "Motivo do zero",
  parcela_deduzir: "Parcela a deduzir",
  reducao_base: "Redução da base",
  reducao_base_propria: "Redução da base da operação própria",
  tabela_versao: "Edição da tabela",
  valor: "Imposto devido",
};

// What the service declares for each of its words.
let declared = { __proto__: null };
// What it declares that each grade of a rule means.
let grades = {};
// The facts of a company, each with what it calls them.
export let companyFacts = [];
// What it calls each verdict of the report on documents, and how sure a difference is.
export let verdicts = {};
export let certainties = {};

export function learn({ palavras, graus, empresa, conferencia }) {
  declared = { __proto__: null, ...palavras };
  grades = graus;
  companyFacts = empresa;
  [verdicts, certainties] = [conferencia.veredito, conferencia.certeza].map(Object.fromEntries);
}

// The grades of a rule, the surest first.
export const GRADES = ["texto_legal", "fontes_concordes", "fonte_unica", "do_escritorio"];

// A grade with its meaning: "Texto legal lido: os valores foram lidos no texto da norma".
export const gradeInFull = (grade) => `${words(grade)}: ${grades[grade]}.`;

// What people call a word of a declared list; nothing for another text.
export const wordOf = (text) => declared[text];

const one = (word) => (CAPITALS.has(word) ? word.toUpperCase() : ACCENTS[word] ?? word);

export function words(name) {
  if (declared[name] ?? WHOLE[name]) return declared[name] ?? WHOLE[name];
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return name;
  const text = name.split("_").map(one).join(" ");
  return text[0].toUpperCase() + text.slice(1);
}

// A label within a sentence: `Não sujeito à ST` as `não sujeito à ST`, and `UF` as it is.
export const inSentence = (label) => label.replace(/^\p{Lu}(?=[\p{Ll} ])/u, (first) => first.toLowerCase());

// A sentence with the contract's names in it, as people read them.
export const readable = (text) => text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => inSentence(words(name)));

export const yesNo = (value) => (value ? "sim" : "não");
