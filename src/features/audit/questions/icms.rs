//! The questions about ICMS: its own, the difference due to the destination, and the substitution.

use super::Asker;
use crate::features::audit::compare::Declared;
use crate::features::audit::compared::{DESTINO, ICMS, INTERNA, ST};
use crate::features::audit::{missing_st, situation};
use crate::law::nfe::Tag;

/// Why ST of a sale for the use of a taxpayer is not compared.
const DIFFERENCE_WITHHELD: &str = "a mercadoria é para uso, consumo ou ativo do comprador: retém-se só a diferença de alíquota, sobre o preço e não sobre a margem (Convênio ICMS 142/2018, cláusula primeira, § 1º), e nenhuma regra traz a base dela";

impl Asker<'_> {
    pub(super) fn icms(&mut self) {
        let (nota, item) = (self.goods.nota, self.goods.item);
        if let Some(reason) = situation::of_icms(nota, item) {
            return self.ready(self.of("icms").not_applicable(reason));
        }
        if situation::is_transfer(item) {
            // Those that are charged have one line of the document.
            if situation::charged_on_transfer(item).is_zero() {
                self.ready(self.of("icms").not_applicable(situation::FREE_TRANSFER));
            }
            return;
        }
        let other = Some(item.cst_icms.as_str()).filter(|cst| matches!(*cst, "20" | "70" | "90"));
        let single_phase = matches!(item.cst_icms.as_str(), "02" | "15");
        let internal = nota.uf_origem == nota.uf_destino;
        let own = Declared {
            valor: self.sum(if internal { &[Tag::IcmsValor, Tag::FcpValor] } else { &[Tag::IcmsValor] }),
            aliquota: self.get(Tag::IcmsAliquota),
            base: self.get(Tag::IcmsBase),
            ..Declared::default()
        };
        let final_consumer = (nota.consumidor_final || !nota.contribuinte) && !single_phase;
        let payload = match (final_consumer, internal) {
            (false, _) => self.goods.icms(),
            (true, true) => self.goods.icms_consumidor_final(),
            (true, false) => self.goods.icms_interestadual_de_consumo(),
        };
        let Some(payload) = payload else {
            return self
                .ready(self.of("icms").refused("uf_ausente", "o documento não diz a UF de origem ou a de destino"));
        };
        if single_phase {
            let declared = Declared { valor: self.sum(&[Tag::MonoValor]), ..Declared::default() };
            let comparison = self.compare("icms", &ICMS, declared, None);
            return self.ask(payload, vec![comparison], None);
        }
        let members = if final_consumer && internal { &INTERNA } else { &ICMS };
        let comparison = self.compare("icms", members, own, other);
        self.ask(payload, vec![comparison], None);
        // Within a State the group of the destination is a fault of its own.
        if final_consumer && !internal {
            self.difference();
        }
    }

    /// The difference due to the destination, asked apart from the own ICMS: it may have no answer of its own, as that of
    /// a sale for the use of a taxpayer. Without the group there is a finding of its own, and a buyer who is a taxpayer
    /// pays the difference itself.
    fn difference(&mut self) {
        if !self.goods.item.has_destination {
            return;
        }
        let Some(payload) = self.goods.icms_consumidor_final() else { return };
        let declared = Declared {
            // Until 2018 a part of the difference was due to the origin (ADCT, art. 99).
            valor: self.sum(&[Tag::DestinoValor, Tag::RemetenteValor, Tag::DestinoFcpValor]),
            aliquota: self.get(Tag::DestinoAliquota),
            base: self.get(Tag::DestinoBase),
            ..Declared::default()
        };
        let comparison = self.compare("icms_consumidor_final", &DESTINO, declared, None);
        self.ask(payload, vec![comparison], None);
    }

    pub(super) fn icms_st(&mut self) {
        if self.sum(&[Tag::StValor]).is_zero() {
            return self.missing_st();
        }
        let nota = self.goods.nota;
        if nota.consumidor_final && nota.contribuinte && nota.uf_origem != nota.uf_destino {
            return self.ready(self.of("icms_st").refused("base_propria", DIFFERENCE_WITHHELD));
        }
        let declared = Declared {
            valor: self.sum(&[Tag::StValor, Tag::StFcpValor]),
            aliquota: self.get(Tag::StMargem),
            base: self.get(Tag::StBase),
            ..Declared::default()
        };
        match self.goods.icms_st() {
            Some(payload) => {
                let comparison = self.compare("icms_st", &ST, declared, None);
                self.ask(payload, vec![comparison], None);
            }
            None => self
                .ready(self.of("icms_st").refused("uf_ausente", "o documento não diz a UF de origem ou a de destino")),
        }
    }

    /// A substitution that the document does not charge.
    fn missing_st(&mut self) {
        if !missing_st::may_be_due(self.goods.nota, self.goods.item) {
            return;
        }
        let Some(payload) = self.goods.icms_st() else { return };
        let line = self.of("icms_st");
        self.look_for(payload, missing_st::of_answer, line);
    }
}
