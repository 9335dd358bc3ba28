//! What a document says beyond the payload of a question.

use rust_decimal::Decimal;

use crate::base::value::Uf;
use crate::law::nfe::Tag;
use crate::law::nfe::payloads::Mercadoria;

/// The amounts and places of an item by which a question may be asked in another way.
#[derive(Debug, Clone, Default)]
pub(in crate::features::audit) struct Facts {
    pub(super) frete: Decimal,
    pub(super) desconto: Decimal,
    pub(super) despesas: Decimal,
    pub(super) ipi: Decimal,
    pub(super) icms: Decimal,
    /// `pRedBC`, in percent.
    pub(super) reducao: Decimal,
    pub(super) fcp: Decimal,
    pub(super) fcp_destino: Decimal,
    pub(super) difal: Decimal,
    /// ICMS-ST with its FCP.
    pub(super) st: Decimal,
    pub(super) st_fcp: Decimal,
    pub(super) st_retido: Decimal,
    /// Amounts that leave the price of a service.
    pub(super) deducoes: Decimal,
    /// Another than the seller has the goods carried.
    pub(super) frete_de_outro: bool,
    /// The buyer consumes the goods.
    pub(super) consome: bool,
    /// Every UF of the document.
    pub(super) ufs: Vec<Uf>,
}

impl Facts {
    pub(in crate::features::audit) fn of(goods: &Mercadoria<'_>) -> Facts {
        let Mercadoria { nota, item, .. } = goods;
        let get = |tag: Tag| item.figures.or_zero(tag);
        Facts {
            frete: get(Tag::Frete),
            desconto: get(Tag::Desconto),
            despesas: item.figures.sum(&[Tag::Seguro, Tag::Outras]),
            ipi: get(Tag::IpiValor),
            icms: get(Tag::IcmsValor),
            reducao: get(Tag::IcmsReducao),
            fcp: get(Tag::FcpValor),
            fcp_destino: get(Tag::DestinoFcpValor),
            difal: item.figures.sum(&[Tag::DestinoValor, Tag::DestinoFcpValor]),
            st: item.figures.sum(&[Tag::StValor, Tag::StFcpValor]),
            st_fcp: get(Tag::StFcpValor),
            st_retido: get(Tag::StRetido),
            deducoes: Decimal::ZERO,
            frete_de_outro: nota.frete_de_outro,
            consome: nota.consumidor_final || !nota.contribuinte,
            ufs: nota.ufs.clone(),
        }
    }

    /// Those of a service: amounts that leave its price.
    pub(in crate::features::audit) fn with_deductions(deducoes: Decimal) -> Facts {
        Facts { deducoes, ..Facts::default() }
    }
}
