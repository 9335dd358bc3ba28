//! The causes in the words of the company's owner, who knows neither the names of fields nor the law.

use super::causes::Cause;
use crate::features::audit::cause_names::CAUSES;
use crate::features::audit::finding::Layer;

/// What is wrong, by the code of the cause. A code without a line has its label and its sentence.
const PLAIN: &[(&str, &str)] = &[
    ("aliquota", "a alíquota não é a da lei"),
    ("aliquota_do_credito", "a nota dá ao comprador um crédito do Simples com outra alíquota"),
    ("aliquota_interestadual", "a alíquota da venda para outro Estado não é a da lei"),
    ("base", "o imposto foi calculado sobre um valor que não é o da lei"),
    ("base_do_fcp", "o fundo de pobreza foi calculado sobre outro valor"),
    ("base_pela_margem", "o valor da substituição tributária não segue a margem do produto"),
    ("base_vezes_aliquota", "o imposto escrito na nota não é a base vezes a alíquota que ela mesma traz"),
    ("cclasstrib_e_ncm", "a classificação de IBS e CBS não serve para o produto"),
    ("cclasstrib_inexistente", "a classificação de IBS e CBS não existe na tabela"),
    ("cclasstrib_integral", "o produto saiu com IBS e CBS cheios, e pode ter redução"),
    ("cclasstrib_sem_lista", "o produto saiu com redução de IBS e CBS, e pode não estar na lista"),
    ("cest", "o código CEST falta ou não é o do produto"),
    ("chave_e_documento", "a chave de acesso é de outra nota"),
    ("digito_da_chave", "a chave de acesso não existe"),
    ("cfop_e_destino", "o CFOP não combina com o lugar do comprador"),
    ("credito_do_simples", "o crédito do Simples escrito na nota está com a conta errada"),
    ("cfop_inexistente", "o código CFOP não existe"),
    ("crt_e_cst", "o código da tributação não é o do regime da empresa"),
    ("cst_de_entrada", "a venda saiu com um código de compra"),
    ("cst_e_cfop", "o código da tributação não combina com o CFOP"),
    ("cst_e_valor", "o código da tributação não combina com o valor cobrado"),
    ("desoneracao_sem_motivo", "a nota tira o imposto e não diz o motivo"),
    ("diferimento", "a conta da parte adiada do imposto está errada"),
    ("grupo_do_ibscbs", "os campos de IBS e CBS não são os da classificação"),
    ("ibscbs_sem_cst", "faltam os códigos de IBS e CBS"),
    ("iss_nao_retido", "o ISS que o cliente devia reter não foi retido"),
    ("monofasico_sem_cst", "o produto já pagou PIS e COFINS no fabricante, e a nota não diz isso"),
    ("nada_devido", "a nota cobra um imposto que não é devido"),
    ("ncm_inexistente", "o código NCM não existe"),
    ("ncm_malformado", "o código NCM está escrito errado"),
    ("quantidade_vezes_unidade", "quantidade vezes preço não dá o valor da nota"),
    ("reducao", "a redução do imposto não é a da lei"),
    ("reducao_da_base", "a conta da redução da base está errada"),
    ("retencao_contraditoria", "a nota diz e desdiz a retenção"),
    ("sem_ibscbs", "faltam os campos de IBS e CBS"),
    ("sem_icmsufdest", "falta a parte do imposto do Estado do comprador"),
    ("sem_st", "o produto tem substituição tributária, e a nota não a traz"),
    ("soma", "a soma dos valores da nota está errada"),
    ("total", "o total da nota não é a soma dos itens"),
    ("transferencia_tributada", "a transferência entre lojas saiu com imposto"),
    ("valor", "o valor do imposto não é o da lei"),
];

/// What people call a cause, by its code.
pub(super) fn label(codigo: &str) -> &str {
    let found = CAUSES.iter().find(|(known, _)| *known == codigo);
    found.map_or(if codigo == super::causes::OTHERS { "Outras causas" } else { codigo }, |(_, label)| label)
}

/// Without the parts in parentheses: the law and the names of fields.
fn without_asides(sentence: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_u32);
    for c in sentence.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ;", ";").replace(" ,", ",")
}

impl Cause {
    /// What is wrong, for someone who knows no law.
    pub(super) fn plainly(&self) -> String {
        let plain = PLAIN.iter().find(|(codigo, _)| *codigo == self.codigo).map(|(_, sentence)| *sentence);
        let known = self.explanation.as_deref().filter(|text| !text.is_empty()).map(without_asides);
        match (plain, known) {
            (Some(plain), Some(known)) => format!("{plain}: {known}"),
            (Some(plain), None) => plain.to_owned(),
            (None, known) => known.unwrap_or_else(|| match self.detail.as_str() {
                "" => label(self.codigo).to_lowercase(),
                detail => without_asides(detail),
            }),
        }
    }

    /// What is wrong, with the names of fields and the law.
    pub(super) fn in_full(&self) -> String {
        let parts = [Some(self.detail.as_str()), self.explanation.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { label(self.codigo).to_owned() } else { parts.join("; o que explica: ") }
    }

    /// What to do about it. It names no act of the law, which depends on what the document and the day allow.
    pub(super) fn advice(&self) -> &'static str {
        if !self.is_sure() {
            return "Confirme com o escritório antes de mudar: pode estar certo por um motivo que a nota não mostra.";
        }
        let amounts = self.amounts();
        match (self.camada, amounts.over.is_zero(), amounts.under.is_zero()) {
            (Layer::Cruzamento, ..) => {
                "Corrija a EFD, ou veja com o escritório por que ela não traz o que a nota traz."
            }
            (Layer::Aritmetica, ..) => "Corrija a conta no programa que emite as notas, ou peça isso ao suporte dele.",
            (_, false, true) => {
                "Corrija o cadastro no programa que emite as notas; veja com o escritório o que se recupera das notas já emitidas."
            }
            (_, true, false) => {
                "Corrija o cadastro no programa que emite as notas; veja com o escritório como completar as notas já emitidas."
            }
            _ => {
                "Corrija o cadastro no programa que emite as notas; veja com o escritório o que fazer das notas já emitidas."
            }
        }
    }
}
