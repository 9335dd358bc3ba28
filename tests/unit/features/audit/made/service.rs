//! A service as an NFS-e of the national layout.

use serde_json::{Value, json};

use super::{answers, cents, share, text};

/// A service.
#[derive(Debug, Clone)]
pub struct Service {
    pub data: &'static str,
    pub municipio: (&'static str, &'static str, u32),
    pub item: &'static str,
    pub regime: &'static str,
    pub preco: i64,
}

impl Service {
    /// The NFS-e of the national layout; `None` if the engine has no rule for one of its taxes.
    pub fn xml(&self) -> Option<String> {
        let (uf, municipio, code) = self.municipio;
        let details = answers(&json!({
            "data_operacao": self.data, "preco_servico": cents(self.preco), "uf": uf, "municipio": municipio,
            "item_lista_servico": self.item, "regime_apuracao": self.regime, "cumpre_obrigacoes_acessorias": true,
            "classificacao_tributaria": if self.data < "2026" { Value::Null } else { json!("000001") },
        }))?;
        let (iss, pis, cofins) = (&details["iss"], &details["pis"], &details["cofins"]);
        let (price, rate) = (cents(self.preco), text(iss, "aliquota_aplicada"));
        let (pis_rate, cofins_rate) = (text(pis, "aliquota_aplicada"), text(cofins, "aliquota_aplicada"));
        let base = text(pis, "base_calculo");
        let (group, codes) = match (details.get("cbs"), details.get("ibs")) {
            (Some(cbs), Some(ibs)) => (service_reform(cbs, ibs), SERVICE_CODES),
            _ => (String::new(), ""),
        };
        let (group_code, subitem) = self.item.split_once('.').unwrap();
        let (iss, day) = (share(&price, rate), self.data);
        let (pis, cofins) = (share(base, pis_rate), share(base, cofins_rate));
        Some(format!(
            "<NFSe><infNFSe Id=\"NFS{code}\"><cLocIncid>{code}</cLocIncid><emit><CNPJ>11222333000181</CNPJ></emit>\
             <valores><vBC>{price}</vBC><pAliqAplic>{rate}</pAliqAplic><vISSQN>{iss}</vISSQN></valores>{group}\
             <DPS><infDPS><dhEmi>{day}T10:00:00-03:00</dhEmi><dCompet>{day}</dCompet><prest><regTrib><opSimpNac>1</opSimpNac></regTrib></prest>\
             <serv><cServ><cTribNac>{group_code:0>2}{subitem}01</cTribNac></cServ></serv><valores><vServPrest><vServ>{price}</vServ></vServPrest>\
             <trib><tribMun><tribISSQN>1</tribISSQN><tpRetISSQN>1</tpRetISSQN></tribMun><tribFed><piscofins><CST>01</CST>\
             <vBCPisCofins>{base}</vBCPisCofins><pAliqPis>{pis_rate}</pAliqPis><pAliqCofins>{cofins_rate}</pAliqCofins>\
             <vPis>{pis}</vPis><vCofins>{cofins}</vCofins><tpRetPisCofins>0</tpRetPisCofins></piscofins></tribFed></trib></valores>{codes}</infDPS></DPS></infNFSe></NFSe>",
        ))
    }
}

const SERVICE_CODES: &str =
    "<IBSCBS><valores><trib><gIBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS>";

fn service_reform(cbs: &Value, ibs: &Value) -> String {
    let (base, cbs_rate, ibs_rate) =
        (text(cbs, "base_calculo"), text(cbs, "aliquota_efetiva"), text(ibs, "aliquota_efetiva"));
    let (cbs, ibs) = (text(cbs, "valor_destaque"), text(ibs, "valor_destaque"));
    format!(
        "<IBSCBS><valores><vBC>{base}</vBC><uf><pIBSUF>{ibs_rate}</pIBSUF><pAliqEfetUF>{ibs_rate}</pAliqEfetUF></uf>\
         <mun><pIBSMun>0.00</pIBSMun><pAliqEfetMun>0.00</pAliqEfetMun></mun><fed><pCBS>{cbs_rate}</pCBS><pAliqEfetCBS>{cbs_rate}</pAliqEfetCBS></fed></valores>\
         <totCIBS><gIBS><vIBSTot>{ibs}</vIBSTot><gIBSUFTot><vIBSUF>{ibs}</vIBSUF></gIBSUFTot><gIBSMunTot><vIBSMun>0.00</vIBSMun></gIBSMunTot></gIBS>\
         <gCBS><vCBS>{cbs}</vCBS></gCBS></totCIBS></IBSCBS>"
    )
}
