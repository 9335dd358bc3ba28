// The words of the contract (`nao_residencial`) as people read them ("Não residencial"), by their declarations.

// What the service declares for each of its words.
let declared = { __proto__: null };
// What it declares that each grade of a rule means.
let grades = {};
// The facts of a company, each with what it calls them.
export const companyFacts = [];
// What it calls each verdict of the report on documents, how sure a difference is, and its cause.
export const verdicts = {};
export const certainties = {};
export const causes = {};

export function learn({ palavras, graus, empresa, conferencia }) {
  declared = { __proto__: null, ...palavras };
  grades = graus;
  companyFacts.splice(0, companyFacts.length, ...empresa);
  const { veredito, certeza, causa } = conferencia;
  [[verdicts, veredito], [certainties, certeza], [causes, causa]].forEach(([known, pairs]) => Object.assign(known, Object.fromEntries(pairs)));
}

// The grades of a rule, the surest first.
export const GRADES = ["texto_legal", "fontes_concordes", "fonte_unica", "do_escritorio"];

// A grade with its meaning: "Texto ou tabela oficial lida: os valores foram lidos no texto da norma".
export const gradeInFull = (grade) => `${words(grade)}: ${grades[grade]}.`;

// What people call a word or a name that the service declares; any other text as it is.
export const words = (name) => declared[name] ?? name;

// A label within a sentence: `Não sujeito à ST` as `não sujeito à ST`, and `UF` as it is.
export const inSentence = (label) => label.replace(/^\p{Lu}(?=[\p{Ll} ])/u, (first) => first.toLowerCase());

export const yesNo = (value) => (value ? "sim" : "não");
