// The words of the contract (`nao_residencial`) as people read them ("Não residencial"), and the names of the
// members that are declared without a label: those of a rule.

const ACCENTS = {
  __proto__: null,
  acrescimo: "acréscimo", aliquota: "alíquota", automovel: "automóvel", beneficio: "benefício", caminhao: "caminhão",
  citacao: "citação", combustivel: "combustível", conferencia: "conferência", descricao: "descrição", doacao: "doação",
  eletrico: "elétrico", excecoes: "exceções", hibrido: "híbrido", imovel: "imóvel", isencao: "isenção",
  metodo: "método", nao: "não", observacoes: "observações", onibus: "ônibus", reducao: "redução",
  referencia: "referência", situacao: "situação", taxi: "táxi", transacao: "transação", unica: "única", versao: "versão",
};

const CAPITALS = new Set([
  "brl", "cbs", "cest", "cofins", "fcp", "gnv", "ibs", "icms", "ipi", "iss", "mva", "ncm", "pcd", "pis", "sfh", "st", "tipi", "uf",
]);

// Names that read badly word by word.
const WHOLE = {
  __proto__: null,
  acrescimo_desconto: "Acréscimo e desconto por faixa",
  base: "Base de cálculo",
  aliquota_propria: "Alíquota própria",
  causa_mortis: "Causa mortis (herança)",
  demais: "Demais compradores",
  fabricante_importador: "Fabricante ou importador",
  isencao_base_legal: "Dispositivo da isenção",
  motivo_isencao: "Motivo da isenção",
  motivo_zero: "Motivo do zero",
  onibus_micro_onibus: "Ônibus e micro-ônibus",
  parcela_deduzir: "Parcela a deduzir",
  pcd: "PCD (pessoa com deficiência)",
  reducao_base: "Redução da base",
  reducao_base_propria: "Redução da base da operação própria",
  tabela_versao: "Edição da tabela",
  texto_legal: "Texto legal lido",
  valor: "Imposto devido",
  valor_transacao: "Valor da transação",
  varejista_consumidor_final: "Varejista ou consumidor final",
};

const one = (word) => (CAPITALS.has(word) ? word.toUpperCase() : ACCENTS[word] ?? word);

export function words(name) {
  if (WHOLE[name]) return WHOLE[name];
  if (!/^[a-z][a-z0-9_]*$/.test(name)) return name;
  const text = name.split("_").map(one).join(" ");
  return text[0].toUpperCase() + text.slice(1);
}

// A sentence with the contract's names in it, as people read them.
export const readable = (text) => text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (name) => words(name).toLowerCase());

export const yesNo = (value) => (value ? "sim" : "não");
