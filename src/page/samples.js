// Samples that open a part filled in, with invented data.

import { byId } from "./dom.js";
import { today } from "./format.js";

const LIST = ["NCM;UF de origem;UF de destino;Valor do produto;Data da operação", "82032010;SP;SP;1.000,00;DIA", "84713012;SP;MG;2.450,00;DIA", "22030000;SP;RJ;380,50;DIA"].join("\r\n");

const tax = (name, group, base, rate, value) => `<${name}><${group}><CST>01</CST><vBC>${base}</vBC><p${name}>${rate}</p${name}><v${name}>${value}</v${name}></${group}></${name}>`;

// A sale of R$ 1.000,00 within São Paulo of which the ICMS has that rate and amount, and PIS and COFINS that base.
const note = (number, rate, icms, base, pis, cofins) => `<nfeProc><NFe><infNFe><ide><mod>55</mod><serie>1</serie><nNF>${number}</nNF><dhEmi>${today().slice(0, 4)}-03-10T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest><finNFe>1</finNFe><indFinal>0</indFinal></ide><emit><CNPJ>11222333000181</CNPJ><xNome>Exemplo Ltda</xNome><enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit><dest><CNPJ>99888777000166</CNPJ><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest><det nItem="1"><prod><cProd>P1</cProd><xProd>Caixa plástica</xProd><NCM>39269090</NCM><CFOP>5102</CFOP><vProd>1000.00</vProd><indTot>1</indTot></prod><imposto><ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>1000.00</vBC><pICMS>${rate}</pICMS><vICMS>${icms}</vICMS></ICMS00></ICMS>${tax("PIS", "PISAliq", base, "1.65", pis)}${tax("COFINS", "COFINSAliq", base, "7.60", cofins)}</imposto></det></infNFe></NFe></nfeProc>`;

// The files of each part: of the notes, one is right, one has a wrong rate, and one a wrong product of base and rate.
const FILES = {
  lista: () => [["exemplo.csv", LIST.replaceAll("DIA", today().split("-").reverse().join("/"))]],
  documentos: () => [
    ["nota-1.xml", note(1, "18.00", "180.00", "820.00", "13.53", "62.32")],
    ["nota-2.xml", note(2, "12.00", "120.00", "880.00", "14.52", "66.88")],
    ["nota-3.xml", note(3, "18.00", "108.00", "820.00", "13.53", "62.32")],
  ],
};

// Gives the field for files of a part its sample, as a reader does who chooses files.
export function fillSample(part) {
  const chosen = new DataTransfer();
  for (const [name, text] of FILES[part]()) chosen.items.add(new File([text], name));
  /** @type {HTMLInputElement} */
  const field = byId(part).querySelector(`input[type=file][id^=${part}-arquivo]`);
  field.files = chosen.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
