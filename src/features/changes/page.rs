//! `GET /sandbox/v1/mudancas`: what the publications changed, by bundle, before and after in words. With a window of
//! first days of effect, the rules that came with the installation are among them.

use std::sync::LazyLock;

use hyper::Request;
use hyper::body::Incoming;
use serde::Serialize;

use crate::base::document::{Field, FromNode, Shape};
use crate::base::problem::Problem;
use crate::base::sentence::in_words;
use crate::base::value::{Date, RuleId};
use crate::core::calls::Caller;
use crate::core::engine::Engine;
use crate::features::changes::{
    BundlePage, ChangeKind, ChangesFilter, ChangesPage, ChangesSummary, FieldChange, InstallationLine, RuleChange,
};
use crate::http::app::App;
use crate::http::cursor;
use crate::http::query::{self, Query};
use crate::http::respond::{self, HttpResponse};
use crate::law::labels;
use crate::page::filters::{self, PageFilter};
use crate::page::lookup::{self, Lookup};

/// Changes of a page: so many that those of one act are together.
const PAGE: usize = 250;
/// Fields of a change; a further one is counted.
const FIELDS: usize = 12;
/// Characters of a value; a longer one, such as a list of products, is cut. With the limits above, a page has less than
/// two megabytes.
const CHARS: usize = 300;

const DESDE: Field = query::parameter("desde", "Publicadas neste dia ou depois (UTC)", Shape::Date, None);
const ATE: Field = query::parameter("ate", "Publicadas neste dia ou antes (UTC)", Shape::Date, None);
const VALE_DE: Field = query::parameter("vale_de", "Passam a valer neste dia ou depois", Shape::Date, None);
const VALE_ATE: Field = query::parameter("vale_ate", "Passam a valer neste dia ou antes", Shape::Date, None);
const TIPO: Field = query::parameter("tipo", "Espécie", ChangeKind::SHAPE, None);

static FILTERS: LazyLock<PageFilter> = LazyLock::new(|| PageFilter::of(&["tributo", "uf", "ncm"]));

/// A page of changes, with values of bounded length.
#[derive(Serialize)]
struct View {
    resumo: ChangesSummary,
    pacotes: Vec<BundlePage<ChangeView>>,
    instalacao: Option<InstallationLine>,
    proximo: Option<String>,
}

#[derive(Serialize)]
struct ChangeView {
    rule_id: RuleId,
    anterior: Option<RuleId>,
    tipo: String,
    tributo: String,
    local: String,
    escopo: String,
    /// The segment of goods of its CEST.
    #[serde(skip_serializing_if = "Option::is_none")]
    segmento: Option<&'static str>,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    retroativa: bool,
    citacao_legal: String,
    campos: Vec<FieldChange>,
    /// Changed fields that are left out.
    mais_campos: usize,
}

/// Answers a page of changes, the latest publication first.
pub(crate) async fn handle(
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
) -> Result<HttpResponse, Box<Problem>> {
    let (lookup, (asked, after)) = Lookup::read(request, read).await?;
    let make = move |engine: &Engine, _: Date| {
        let page = ChangesPage::read(engine, &asked, after, PAGE).map_err(|e| respond::store_failed(&e))?;
        lookup::json(&View::of(page))
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
        filter: FILTERS.take_with_country(q).unwrap_or_default(),
    };
    (asked, q.take(&cursor::CURSOR, cursor::read))
}

impl View {
    fn of(page: ChangesPage) -> View {
        let ChangesPage { resumo, pacotes, instalacao, next } = page;
        let view = |BundlePage { publicado_em, pacote, versao, instalado, regras, mudancas }| {
            let mudancas = mudancas.into_iter().map(ChangeView::of).collect();
            BundlePage { publicado_em, pacote, versao, instalado, regras, mudancas }
        };
        let pacotes = pacotes.into_iter().map(view).collect();
        View { resumo, pacotes, instalacao, proximo: next.map(cursor::write) }
    }
}

impl ChangeView {
    fn of(change: RuleChange) -> ChangeView {
        let mais_campos = change.campos.len().saturating_sub(FIELDS);
        // What an answer depends on comes before what is said of it.
        let (content, rest): (Vec<_>, Vec<_>) =
            change.campos.into_iter().partition(|field| field.campo.starts_with("conteudo"));
        let mut campos: Vec<FieldChange> = content.into_iter().chain(rest).take(FIELDS).collect();
        let named = labels::named(Some(&change.tributo));
        for text in campos.iter_mut().flat_map(|field| [&mut field.antes, &mut field.depois]) {
            *text = in_words(text, &named);
            cut(text);
        }
        ChangeView {
            rule_id: change.rule_id,
            anterior: change.anterior,
            tipo: change.tipo,
            tributo: change.tributo,
            local: change.local,
            segmento: change.segmento,
            escopo: in_words(&change.escopo, &named),
            vigente_de: change.vigente_de,
            vigente_ate: change.vigente_ate,
            retroativa: change.retroativa,
            citacao_legal: change.citacao_legal,
            campos,
            mais_campos,
        }
    }
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(CHARS) {
        text.truncate(end);
        text.push('…');
    }
}
