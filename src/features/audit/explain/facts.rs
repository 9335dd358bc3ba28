//! What a document says beyond the payload of a question.

use rust_decimal::Decimal;

use crate::base::value::Uf;
use crate::law::nfe::payloads::Mercadoria;
use crate::law::nfe::{NotaDeServico, Tag};

/// The amounts and places of an item by which a question may be asked in another way.
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
#[derive(Debug, Clone, Default)]
pub(in crate::features::audit) struct Facts {
    /// `vProd`.
    pub(super) produto: Decimal,
    pub(super) frete: Decimal,
    pub(super) desconto: Decimal,
    pub(super) despesas: Decimal,
    pub(super) ipi: Decimal,
    pub(super) icms: Decimal,
    pub(super) base_icms: Decimal,
    /// `pRedBC`, in percent.
    pub(super) reducao: Decimal,
    pub(super) fcp: Decimal,
    pub(super) fcp_destino: Decimal,
    pub(super) difal: Decimal,
    /// ICMS-ST with its FCP.
    pub(super) st: Decimal,
    pub(super) st_fcp: Decimal,
    /// `pICMSST`.
    pub(super) aliquota_st: Option<Decimal>,
    pub(super) st_retido: Decimal,
    /// Amounts that leave the price of a service.
    pub(super) deducoes: Decimal,
    /// IBGE codes of the municipalities of an NFS-e, each with whose it is.
    pub(super) municipios: Vec<(String, &'static str)>,
    /// The base is made of a price that the State lists.
    pub(super) preco_do_estado: bool,
    /// Another than the seller has the goods carried.
    pub(super) frete_de_outro: bool,
    /// The buyer consumes the goods.
    pub(super) consome: bool,
    /// The buyer is a taxpayer, who may resell them after all.
    pub(super) contribuinte: bool,
    /// Every UF of the document.
    pub(super) ufs: Vec<Uf>,
}

impl Facts {
    pub(in crate::features::audit) fn of(goods: &Mercadoria<'_>) -> Facts {
        let Mercadoria { nota, item, .. } = goods;
        let get = |tag: Tag| item.figures.or_zero(tag);
        Facts {
            produto: get(Tag::Produto),
            frete: get(Tag::Frete),
            desconto: get(Tag::Desconto),
            despesas: item.figures.sum(&[Tag::Seguro, Tag::Outras]),
            ipi: get(Tag::IpiValor),
            icms: get(Tag::IcmsValor),
            base_icms: get(Tag::IcmsBase),
            reducao: get(Tag::IcmsReducao),
            fcp: get(Tag::FcpValor),
            fcp_destino: get(Tag::DestinoFcpValor),
            difal: item.figures.sum(&[Tag::DestinoValor, Tag::DestinoFcpValor]),
            st: item.figures.sum(&[Tag::StValor, Tag::StFcpValor]),
            st_fcp: get(Tag::StFcpValor),
            aliquota_st: item.figures.get(Tag::StAliquota),
            st_retido: get(Tag::StRetido),
            deducoes: Decimal::ZERO,
            municipios: Vec::new(),
            preco_do_estado: item.preco_do_estado,
            frete_de_outro: nota.frete_de_outro,
            consome: nota.consumidor_final || !nota.contribuinte,
            contribuinte: nota.contribuinte,
            ufs: nota.ufs.clone(),
        }
    }

    /// Those of an NFS-e.
    pub(in crate::features::audit) fn of_service(nota: &NotaDeServico) -> Facts {
        let places = [(&nota.municipio_prestador, "prestador"), (&nota.municipio_tomador, "tomador")];
        let others = places.into_iter().filter(|(code, _)| **code != nota.municipio);
        Facts {
            deducoes: nota.deducoes,
            desconto: nota.desconto,
            municipios: others.map(|(code, whose)| (code.clone(), whose)).collect(),
            ..Facts::default()
        }
    }

    /// Those of a service on a document of goods: the amounts that leave its price.
    pub(in crate::features::audit) fn with_deductions(deducoes: Decimal) -> Facts {
        Facts { deducoes, ..Facts::default() }
    }
}
