// What is wrong with a field, by the code of the fault and in the words of a form: the service speaks to who writes
// JSON. What the service says of a whole case has no sentence here, and is shown as it is.
export const FAULTS = {
  campo_obrigatorio: "Falta informar este campo.",
  campo_desconhecido: "Este cálculo não usa este campo.",
  tipo_invalido: "O que está escrito não serve neste campo.",
  decimal_invalido: "Escreva um número, como 1.234,50.",
  valor_negativo: "Escreva zero ou um número positivo.",
  valor_zero: "Escreva um número maior que zero.",
  data_invalida: "Escreva uma data do calendário, como 31/12/2026.",
  uf_invalida: "Escolha uma UF da lista.",
  ncm_invalido: "Um NCM tem 8 algarismos, como 2203.00.00.",
  cest_invalido: "Um CEST tem 7 algarismos, como 17.053.00.",
  ex_invalido: "Escreva só o número do Ex, como 01.",
  item_servico_invalido: "Escreva o subitem da lista de serviços, como 1.07.",
  classificacao_tributaria_invalida: "Um cClassTrib tem 6 algarismos, como 200003.",
  municipio_desconhecido: "Esta UF não tem município com este nome. Escreva o nome oficial ou o código do IBGE.",
};
