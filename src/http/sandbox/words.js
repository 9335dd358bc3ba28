// The names of the contract (`base_calculo_st`) as people read them ("Base de cálculo da ST").
// A name that is not foreseen is still readable: its words, with their accents.

const ACCENTS = {
  __proto__: null,
  acessorias: "acessórias", acrescimo: "acréscimo", aliquota: "alíquota", aliquotas: "alíquotas", apuracao: "apuração",
  automovel: "automóvel", caminhao: "caminhão", citacao: "citação", combustivel: "combustível",
  descricao: "descrição", destinacao: "destinação", divergencia: "divergência", doacao: "doação",
  eletrico: "elétrico", excecoes: "exceções", exercicio: "exercício", hibrido: "híbrido", imovel: "imóvel",
  isencao: "isenção", memoria: "memória", metodo: "método", municipio: "município", nao: "não", numero: "número", observacoes: "observações",
  onibus: "ônibus", operacao: "operação", padrao: "padrão", preco: "preço", reducao: "redução",
  referencia: "referência", servico: "serviço", servicos: "serviços", situacao: "situação", taxi: "táxi",
  transacao: "transação", tributavel: "tributável", veiculo: "veículo", versao: "versão",
};

const CAPITALS = new Set([
  "brl", "cbs", "cest", "cofins", "fcp", "gnv", "ibs", "icms", "ipi", "iss", "mva", "ncm", "pcd", "pis", "sfh", "st", "tipi", "uf",
]);

// Names that read badly word by word.
const WHOLE = {
  __proto__: null,
  acrescimo_desconto: "Acréscimo e desconto por faixa",
  base: "Base de cálculo",
  base_calculo: "Base de cálculo",
  base_calculo_propria: "Base de cálculo da operação própria",
  base_calculo_st: "Base de cálculo da ST",
  base_metodo: "Método da base",
  aliquota_propria: "Alíquota própria",
  categoria_veiculo: "Categoria do veículo",
  causa_mortis: "Causa mortis (herança)",
  citacao_interestadual: "Citação da alíquota interestadual",
  demais: "Demais compradores",
  fabricante_importador: "Fabricante ou importador",
  fcp_st: "Fundo de combate à pobreza (dentro do total)",
  icms_proprio: "ICMS próprio",
  icms_st: "ICMS-ST",
  isencao_base_legal: "Dispositivo da isenção",
  item_lista_servico: "Subitem da lista de serviços",
  limite_isencao: "Limite da isenção",
  modelo_progressividade: "Modelo de progressividade",
  motivo_dispensa: "Fundamento da dispensa",
  motivo_isencao: "Motivo da isenção",
  motivo_zero: "Motivo do zero",
  onibus_micro_onibus: "Ônibus e micro-ônibus",
  parcela_deduzir: "Parcela a deduzir",
  pcd: "PCD (pessoa com deficiência)",
  preco_servico: "Preço do serviço",
  reducao_base: "Redução da base",
  reducao_base_propria: "Redução da base da operação própria",
  regime_apuracao: "Regime de apuração",
  regra_casada: "Regra encontrada",
  regras_auxiliares: "Outras regras desta resposta",
  tabela_versao: "Edição da tabela",
  tipo_operacao: "Tipo de operação",
  uso_imovel: "Uso do imóvel",
  valor: "Imposto devido",
  valor_destaque: "Valor em destaque",
  valor_devido: "Valor devido",
  valor_fcp: "Fundo de combate à pobreza",
  valor_icms: "Valor do ICMS",
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
