//! The facts of an operation. A field that a tax knows has the name and the meaning that it has there.

use std::borrow::Cow;

use rust_decimal::Decimal;

use super::apuracao::TipoApuracao;
use crate::base::document::{Faults, Node, Object, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::Rate;
use crate::base::value::{
    Amount, Cest, ClassificacaoTributaria, CodigoTributacaoNacional, Date, ExDeclarado, ItemServico, Municipio, Ncm,
    Overflow, PositiveAmount, Uf,
};
use crate::tax::{
    FormaContratacao, Material, NaturezaServico, OrigemMercadoria, Papel, Regime, RegimeApuracao, RegimePrestador,
    ServicoCedido, Tomador, VendaA,
};

taxd_base::vocabulary! {
    /// The regime of the seller, in one word for what three other facts say.
    pub enum RegimeVendedor {
        LucroReal = "lucro_real" => "Lucro real",
        LucroPresumido = "lucro_presumido" => "Lucro presumido ou arbitrado",
        SimplesNacional = "simples_nacional" => "Simples Nacional",
        SimplesRegimeRegular = "simples_regime_regular" => "Simples Nacional, com CBS e IBS fora dele",
    }
}

taxd_base::document! {
    /// The facts of one operation: a sale of goods, with `valor_produto`, or a service, with `preco_servico`.
    pub struct OperationFacts {
        data_operacao: Date, "Data da operação ou da prestação";
        valor_produto: Option<PositiveAmount>, "Valor dos produtos" + ", antes do desconto e sem IPI, ICMS-ST, CBS e IBS; só de mercadoria";
        preco_servico: Option<PositiveAmount>, "Preço do serviço" + ", antes do desconto e sem CBS e IBS; só de serviço";
        desconto: Amount = "0", "Desconto incondicional";
        uf_origem: Option<Uf>, "UF do vendedor" + "; obrigatória na venda de mercadoria";
        uf_destino: Option<Uf>, "UF de destino" + "; obrigatória na venda de mercadoria; igual à de origem na operação interna";
        ncm: Option<Ncm>, "NCM do produto" + ", 8 dígitos";
        ex: ExDeclarado, "Exceção tarifária (Ex)" + "; 00 é nenhuma";
        cest: Option<Cest>, "CEST" + ", quando o NCM tem mais de uma margem ou mais de uma mercadoria na lista nacional";
        frete: Amount = "0", "Frete" + " cobrado do comprador";
        seguro: Amount = "0", "Seguro" + " cobrado do comprador";
        despesas: Amount = "0", "Outras despesas" + " cobradas do comprador";
        quantidade: Option<Amount>, "Quantidade" + ", na unidade da regra, se há pauta ou imposto por unidade";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria" + "; importada tem a alíquota interestadual de 4%";
        papel_na_cadeia: Option<Papel>, "Papel do vendedor na cadeia";
        preco_venda_varejo: Option<Amount>, "Preço de venda no varejo" + ", se a regra de IPI o usa (cigarros)";
        contribuinte_ipi: Option<bool>, "O vendedor é contribuinte do IPI" + "; sem o campo, é o fabricante ou importador, e não o é a revenda";
        destinatario_contribuinte: bool = true, "O comprador é contribuinte do ICMS";
        destinatario_consumidor_final: Option<bool>, "O comprador consome a mercadoria" + "; sem o campo, a consome quem não é contribuinte";
        destinado_industrializacao: bool = false, "O comprador emprega a mercadoria em industrialização";
        substituicao_tributaria: Option<bool>, "A mercadoria está sujeita à substituição tributária no destino" + "; com false, o ICMS-ST não é procurado";
        valor_icms_st_retido: Option<Amount>, "ICMS-ST que já veio retido na compra da mercadoria" + "; com ele, a venda interna não tem ICMS";
        uf: Option<Uf>, "UF do município" + "; obrigatória no serviço";
        municipio: Option<Municipio>, "Município onde o ISS é devido" + "; obrigatório no serviço";
        item_lista_servico: Option<ItemServico>, "Subitem da lista de serviços" + ", como 1.07; obrigatório no serviço";
        codigo_tributacao_nacional: Option<CodigoTributacaoNacional>, "Código de tributação nacional da NFS-e (cTribNac)";
        regime: Regime = "normal", "Regime de ISS do prestador";
        regime_apuracao: Option<RegimeApuracao>, "Regime de apuração de PIS e COFINS" + "; obrigatório até 2026, salvo no Simples";
        venda_a: Option<VendaA>, "Comprador" + ", quando a regra de PIS e COFINS o distingue; sem o campo, quem consome é varejista_consumidor_final";
        destinacao_autopropulsado: Option<bool>, "A peça se destina a veículo ou máquina autopropulsada";
        regime_especial: Option<bool>, "O fabricante ou importador optou pelo regime especial por unidade" + ", quando a regra o tem (combustíveis e cigarros)";
        regime_simples_nacional: bool = false, "O vendedor é optante do Simples Nacional";
        optante_simples: Option<bool>, "O vendedor recolhe CBS e IBS pelo Simples Nacional" + "; sem o campo, como `regime_simples_nacional`";
        cumpre_obrigacoes_acessorias: Option<bool>, "O contribuinte cumpre as obrigações acessórias de CBS e IBS" + "; obrigatório desde 2026";
        classificacao_tributaria: Option<ClassificacaoTributaria>, "Classificação tributária (cClassTrib)" + ", 6 dígitos";
        valor_contribuicao_iluminacao_publica: Option<Amount>, "Contribuição de iluminação pública" + ", incluída no preço";
        regime_vendedor: Option<RegimeVendedor>, "Regime do vendedor" + "; preenche `regime_simples_nacional`, `regime_apuracao` e `optante_simples` que faltarem: o lucro real apura PIS e COFINS pelo regime não cumulativo, e o presumido, pelo cumulativo";
        tomador: Option<Tomador>, "Quem paga pelo serviço" + "; com ele, a operação mostra o que se retém e o líquido a pagar";
        natureza_servico: Option<NaturezaServico>, "Serviço, como a lei da retenção o lista";
        data_pagamento: Option<Date>, "Data do pagamento" + "; sem ela, a da prestação";
        servico_cedido: Option<ServicoCedido>, "Serviço, como a norma da retenção do INSS o lista" + "; sem o campo, nenhuma, se não há cessão de mão de obra nem empreitada";
        forma_contratacao: Option<FormaContratacao>, "Como o serviço foi contratado";
        material_fornecido: Option<Material>, "Material e equipamento, exceto os manuais";
        valor_material: Option<Amount>, "Valor do material e do equipamento na nota";
        alimentacao_transporte: Option<Amount>, "Alimentação e vale-transporte discriminados na nota";
        anexo_iv: Option<bool>, "O prestador do Simples Nacional é tributado pelo Anexo IV neste serviço";
        contribui_cprb: Option<bool>, "O prestador contribui sobre a receita bruta (CPRB)";
        dispensa_declarada: Option<bool>, "O prestador entregou a declaração que dispensa a retenção do INSS";
        aliquota_nota: Option<Rate>, "Alíquota de ISS que a nota informa";
        prestador_no_exterior: Option<bool>, "O serviço vem do exterior ou lá começou";
        lei_municipal_retem: Option<bool>, "A lei do município manda o tomador reter o ISS";
        valor_reembolsos: Option<Amount>, "Reembolsos e ressarcimentos" + ", incluídos no preço";
    }
}

/// The fields of goods alone, and of a service alone.
const MERCADORIA: &str = "\
    uf_origem uf_destino ncm ex cest frete seguro despesas quantidade origem_mercadoria papel_na_cadeia \
    preco_venda_varejo contribuinte_ipi destinatario_contribuinte destinatario_consumidor_final \
    destinado_industrializacao substituicao_tributaria valor_icms_st_retido venda_a destinacao_autopropulsado \
    regime_especial";
const SERVICO: &str = "\
    uf municipio item_lista_servico codigo_tributacao_nacional regime tomador natureza_servico data_pagamento \
    servico_cedido forma_contratacao material_fornecido valor_material alimentacao_transporte anexo_iv \
    contribui_cprb dispensa_declarada aliquota_nota prestador_no_exterior lei_municipal_retem";

/// The operation with what the regime of the seller says of the three facts that it replaces, if they are not
/// stated.
pub(super) fn with_regime<'a>(given: &'a Object<'a>) -> Cow<'a, Object<'a>> {
    let Some(regime) = given.text("regime_vendedor").and_then(RegimeVendedor::from_word) else {
        return Cow::Borrowed(given);
    };
    let (simples, apuracao) = match regime {
        RegimeVendedor::LucroReal => (false, Some(RegimeApuracao::NaoCumulativo)),
        RegimeVendedor::LucroPresumido => (false, Some(RegimeApuracao::Cumulativo)),
        RegimeVendedor::SimplesNacional | RegimeVendedor::SimplesRegimeRegular => (true, None),
    };
    let option = simples.then_some(regime == RegimeVendedor::SimplesNacional);
    let said = [
        ("regime_simples_nacional", simples.then_some(Node::Bool(true))),
        ("regime_apuracao", apuracao.map(|word| Node::from(word.as_str()))),
        ("optante_simples", option.map(Node::Bool)),
    ];
    let mut given = given.clone();
    for (name, node) in said {
        if matches!(given.get(name), None | Some(Node::Null)) {
            given.take(name);
            given.0.extend(node.map(|node| (name.into(), node)));
        }
    }
    Cow::Owned(given)
}

impl OperationFacts {
    pub(super) fn tipo(&self) -> TipoApuracao {
        if self.preco_servico.is_some() { TipoApuracao::Servico } else { TipoApuracao::Mercadoria }
    }

    /// The regime of the seller as the withholdings name it; `None` if the operation does not say.
    pub(super) fn provider(&self) -> Option<RegimePrestador> {
        if self.regime_simples_nacional {
            return Some(RegimePrestador::SimplesNacional);
        }
        match (self.regime_vendedor, self.regime_apuracao) {
            (Some(RegimeVendedor::LucroReal), _) | (None, Some(RegimeApuracao::NaoCumulativo)) => {
                Some(RegimePrestador::LucroReal)
            }
            (Some(RegimeVendedor::LucroPresumido), _) | (None, Some(RegimeApuracao::Cumulativo)) => {
                Some(RegimePrestador::LucroPresumido)
            }
            _ => None,
        }
    }

    /// True if the buyer consumes the goods.
    pub(super) fn consumes(&self) -> bool {
        self.destinatario_consumidor_final.unwrap_or(!self.destinatario_contribuinte)
    }

    /// True if the goods stay in the UF.
    pub(super) fn is_internal(&self) -> bool {
        self.uf_origem == self.uf_destino
    }

    /// The price less the discount, without freight and the rest.
    pub(super) fn net_price(&self) -> Result<Decimal, Overflow> {
        let price = self.valor_produto.or(self.preco_servico).map_or(Decimal::ZERO, |price| price.amount().decimal());
        price.checked_sub(self.desconto.decimal()).ok_or(Overflow)
    }

    /// Insurance and the other expenses, which the taxes take as one.
    pub(super) fn expenses(&self) -> Result<Decimal, Overflow> {
        add(&[self.seguro.decimal(), self.despesas.decimal()])
    }

    /// What the buyer pays, but for the taxes charged on top.
    pub(super) fn revenue(&self) -> Result<Decimal, Overflow> {
        add(&[self.net_price()?, self.frete.decimal(), self.expenses()?])
    }

    /// Adds the faults that concern several fields.
    pub(super) fn check(&self, given: &Object<'_>, faults: &mut Faults) {
        let root = Path::ROOT;
        let stated = |name: &str| !matches!(given.get(name), None | Some(Node::Null));
        let (goods, service) = (self.valor_produto.is_some(), self.preco_servico.is_some());
        if goods == service {
            let detail = "Informe `valor_produto`, de uma venda de mercadoria, ou `preco_servico`, de uma prestação de serviço, um dos dois.";
            faults.add(&root.key("valor_produto"), ErrorCode::CampoObrigatorio, detail);
            return;
        }
        let (foreign, required, what) = if goods {
            (
                SERVICO,
                &["uf_origem", "uf_destino"][..],
                "de serviço, e `valor_produto` diz que a operação é de mercadoria",
            )
        } else {
            let required = &["uf", "municipio", "item_lista_servico"][..];
            (MERCADORIA, required, "de mercadoria, e `preco_servico` diz que a operação é um serviço")
        };
        for name in foreign.split(' ').filter(|name| stated(name)) {
            let detail = format!("`{name}` é {what}: tire um dos dois.");
            faults.add(&root.key(name), ErrorCode::ValorInvalido, detail);
        }
        for name in required.iter().filter(|name| !stated(name)) {
            let detail = format!("O campo `{name}` é obrigatório nesta operação.");
            faults.add(&root.key(name), ErrorCode::CampoObrigatorio, detail);
        }
        if self.net_price().is_ok_and(|net| net.is_sign_negative()) {
            let detail = "O desconto não pode passar do preço.";
            faults.add(&root.key("desconto"), ErrorCode::BaseNegativa, detail);
        }
        if !self.destinatario_contribuinte && self.destinatario_consumidor_final == Some(false) {
            let detail = "Quem não é contribuinte do ICMS compra como consumidor final (NF-e, rejeição 696): corrija `destinatario_contribuinte` ou este campo.";
            faults.add(&root.key("destinatario_consumidor_final"), ErrorCode::ValorInvalido, detail);
        }
        if self.destinado_industrializacao && self.consumes() {
            let detail =
                "A mercadoria não é consumida e industrializada ao mesmo tempo: corrija este campo ou o comprador.";
            faults.add(&root.key("destinado_industrializacao"), ErrorCode::ValorInvalido, detail);
        }
        self.check_seller(faults);
        if self.valor_icms_st_retido.is_some() && !self.is_internal() {
            let detail =
                "A venda a outra UF é tributada por inteiro, e o retido se ressarce ao vendedor: tire o campo.";
            faults.add(&root.key("valor_icms_st_retido"), ErrorCode::ValorInvalido, detail);
        }
    }

    /// Adds the faults of what the operation says of its seller.
    fn check_seller(&self, faults: &mut Faults) {
        let root = Path::ROOT;
        if self.optante_simples == Some(true) && !self.regime_simples_nacional {
            let detail =
                "Só o optante do Simples Nacional recolhe CBS e IBS por ele: informe `regime_simples_nacional`.";
            faults.add(&root.key("optante_simples"), ErrorCode::ValorInvalido, detail);
        }
        if self.regime_apuracao == Some(RegimeApuracao::Simples) && !self.regime_simples_nacional {
            let detail = "O regime é o do Simples Nacional, e a operação não diz que o vendedor é optante: informe `regime_simples_nacional`, ou corrija este campo.";
            faults.add(&root.key("regime_apuracao"), ErrorCode::ValorInvalido, detail);
        }
        let of_simples =
            |regime| matches!(regime, RegimeVendedor::SimplesNacional | RegimeVendedor::SimplesRegimeRegular);
        if self.regime_vendedor.is_some_and(|regime| of_simples(regime) != self.regime_simples_nacional) {
            let detail =
                "`regime_vendedor` e `regime_simples_nacional` não dizem o mesmo do vendedor: tire um dos dois.";
            faults.add(&root.key("regime_vendedor"), ErrorCode::ValorInvalido, detail);
        }
        if self.tomador.is_some() && self.provider().is_none() {
            let detail =
                "Com `tomador`, informe `regime_vendedor`: as retenções dependem do regime de quem presta o serviço.";
            faults.add(&root.key("regime_vendedor"), ErrorCode::CampoObrigatorio, detail);
        }
        let is_ordinary = self.regime_apuracao.is_some_and(|regime| regime != RegimeApuracao::Simples);
        if is_ordinary && self.regime_simples_nacional {
            let detail = "O optante do Simples Nacional não apura PIS e COFINS pelo regime cumulativo nem pelo não cumulativo: informe `simples`, tire o campo, ou corrija `regime_simples_nacional`.";
            faults.add(&root.key("regime_apuracao"), ErrorCode::ValorInvalido, detail);
        }
        if self.valor_icms_st_retido.is_some() && self.papel_na_cadeia == Some(Papel::FabricanteImportador) {
            let detail = "O imposto vem retido na compra para revenda, e quem fabrica ou importa não compra para revender: tire o campo, ou corrija `papel_na_cadeia`.";
            faults.add(&root.key("valor_icms_st_retido"), ErrorCode::ValorInvalido, detail);
        }
    }
}

/// The sum of amounts, with as many places as the longest of them.
pub(super) fn add(amounts: &[Decimal]) -> Result<Decimal, Overflow> {
    amounts.iter().try_fold(Decimal::ZERO, |sum, amount| sum.checked_add(*amount).ok_or(Overflow))
}
