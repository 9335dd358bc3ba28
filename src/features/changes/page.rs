//! `GET /sandbox/v1/mudancas`: what the publications changed, by bundle, before and after in words. With a window of
//! first days of effect, the rules that came with the installation are among them.

use std::sync::LazyLock;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use crate::base::document::{Field, FromNode, Shape};
use crate::base::problem::Problem;
use crate::base::value::{Date, RuleId, Timestamp};
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::features::changes::{
    BundlePage, ChangeKind, ChangesFilter, ChangesPage, ChangesSummary, FieldChange, InstallationLine, RuleChange,
};
use crate::http::app::App;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::page::filters::{self, PageFilter};
use crate::page::lookup::{self, Lookup};

/// Changes of a page.
const PAGE: usize = 50;
/// Fields of a change; a further one is counted.
const FIELDS: usize = 20;
/// Characters of a value; a longer one, such as a list of products, is cut. With the limits above, a page has less than
/// a megabyte.
const CHARS: usize = 300;

const DESDE: Field = query::parameter("desde", "Publicadas neste dia ou depois (UTC)", Shape::Date, None);
const ATE: Field = query::parameter("ate", "Publicadas neste dia ou antes (UTC)", Shape::Date, None);
const VALE_DE: Field = query::parameter("vale_de", "Passam a valer neste dia ou depois", Shape::Date, None);
const VALE_ATE: Field = query::parameter("vale_ate", "Passam a valer neste dia ou antes", Shape::Date, None);
const TIPO: Field = query::parameter("tipo", "Espécie", ChangeKind::SHAPE, None);

/// The filters of the versions.
static FILTERS: LazyLock<PageFilter> = LazyLock::new(|| PageFilter::of(&["tributo", "uf", "ncm"]));

/// A page of changes, with values of bounded length.
#[derive(Serialize)]
struct View<'a> {
    resumo: &'a ChangesSummary,
    pacotes: Vec<BundleView<'a>>,
    instalacao: Option<&'a InstallationLine>,
    proximo: Option<String>,
}

#[derive(Serialize)]
struct BundleView<'a> {
    publicado_em: Timestamp,
    pacote: &'a str,
    versao: &'a str,
    instalado: bool,
    regras: usize,
    mudancas: Vec<ChangeView<'a>>,
}

#[derive(Serialize)]
struct ChangeView<'a> {
    rule_id: &'a RuleId,
    anterior: Option<&'a RuleId>,
    tipo: &'a str,
    tributo: &'a str,
    local: &'a str,
    escopo: &'a str,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    retroativa: bool,
    citacao_legal: &'a str,
    campos: Vec<FieldView<'a>>,
    /// Changed fields that are left out.
    mais_campos: usize,
}

#[derive(Serialize)]
struct FieldView<'a> {
    /// Its path in the rule.
    campo: &'a str,
    rotulo: &'a str,
    antes: String,
    depois: String,
}

/// Answers a page of changes, the latest publication first.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, (asked, after)) = Lookup::read(request, read).await?;
    let make = move |engine: &Engine, _: Date| {
        let page = engine.changes_page(&asked, after, PAGE).map_err(|e| respond::store_failed(&e))?;
        lookup::json(&View::of(&page))
    };
    lookup.answer(app, caller, "mudancas", make).await
}

/// What is asked for, and after which version.
fn read(q: &mut Query) -> (ChangesFilter, Option<u64>) {
    let asked = ChangesFilter {
        publicado_de: q.take(&DESDE, Date::parse),
        publicado_ate: q.take(&ATE, Date::parse),
        vale_de: q.take(&VALE_DE, Date::parse),
        vale_ate: q.take(&VALE_ATE, Date::parse),
        tipo: q.take(&TIPO, |text| filters::word(text, ChangeKind::from_word, ChangeKind::WORDS)),
        filter: FILTERS.take(q).unwrap_or_default(),
    };
    (asked, q.take(&query::CURSOR, query::cursor))
}

impl View<'_> {
    fn of(page: &ChangesPage) -> View<'_> {
        View {
            resumo: &page.resumo,
            pacotes: page.pacotes.iter().map(BundleView::of).collect(),
            instalacao: page.instalacao.as_ref(),
            proximo: page.next.map(query::write_cursor),
        }
    }
}

impl BundleView<'_> {
    fn of(page: &BundlePage) -> BundleView<'_> {
        BundleView {
            publicado_em: page.publicado_em,
            pacote: &page.pacote,
            versao: &page.versao,
            instalado: page.instalado,
            regras: page.regras,
            mudancas: page.mudancas.iter().map(ChangeView::of).collect(),
        }
    }
}

impl ChangeView<'_> {
    fn of(change: &RuleChange) -> ChangeView<'_> {
        // What an answer depends on comes before what is said of it.
        let (content, rest): (Vec<_>, Vec<_>) =
            change.campos.iter().partition(|field| field.campo.starts_with("conteudo"));
        ChangeView {
            rule_id: &change.rule_id,
            anterior: change.anterior.as_ref(),
            tipo: &change.tipo,
            tributo: &change.tributo,
            local: &change.local,
            escopo: &change.escopo,
            vigente_de: change.vigente_de,
            vigente_ate: change.vigente_ate,
            retroativa: change.retroativa,
            citacao_legal: &change.citacao_legal,
            campos: content.into_iter().chain(rest).take(FIELDS).map(FieldView::of).collect(),
            mais_campos: change.campos.len().saturating_sub(FIELDS),
        }
    }
}

impl FieldView<'_> {
    fn of(field: &FieldChange) -> FieldView<'_> {
        FieldView { campo: &field.campo, rotulo: &field.rotulo, antes: cut(&field.antes), depois: cut(&field.depois) }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
