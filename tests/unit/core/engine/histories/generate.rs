//! Random histories, each from its seed: bundles that overlap, move, correct the past, come
//! too early, and are refused.

use serde_json::{Value, json};
use taxd_base::value::Timestamp;
use taxd_core::engine::{BundleFault, Engine, ImportError, ImportOptions, ImportReport};

use super::calendar::{Day, written};
use super::model::{Model, Scope, Version};
use crate::support::{bundle, file, rule, with};

const fn icms(uf: [Option<&'static str>; 2], ncm: &'static [&'static str], exceto: &'static [&'static str]) -> Scope {
    Scope { tributo: "icms", origem: uf[0], destino: uf[1], ncm, exceto, cest: None, ex: None }
}

const fn ipi(ncm: &'static [&'static str], exceto: &'static [&'static str], ex: Option<&'static str>) -> Scope {
    Scope { tributo: "ipi", origem: None, destino: None, ncm, exceto, cest: None, ex }
}

const fn st(origem: Option<&'static str>, ncm: &'static [&'static str], cest: Option<&'static str>) -> Scope {
    Scope { tributo: "icms_st", origem, destino: Some("SP"), ncm, exceto: &[], cest, ex: None }
}

const SP: [Option<&str>; 2] = [Some("SP"), Some("SP")];
const RJ: [Option<&str>; 2] = [Some("RJ"), Some("RJ")];
const SENADO: [Option<&str>; 2] = [Some("MG"), Some("SP")];
const NACIONAL: [Option<&str>; 2] = [None, None];
const CEST: [Option<&str>; 2] = [Some("0302100"), Some("0302200")];

/// Codes, and the scopes between which each moves. Some scopes are wanted by several codes.
const CODES: [(&str, &[Scope]); 10] = [
    ("geral", &[icms(SP, &[], &[]), icms(RJ, &[], &[])]),
    ("bebidas", &[icms(SP, &["22"], &[]), icms(SP, &["2203", "2204"], &[]), icms(RJ, &["22"], &["2204"])]),
    ("produto", &[icms(SP, &["22030000"], &[]), icms(SP, &["22"], &["2204"]), icms(RJ, &["2203"], &[])]),
    ("nacional", &[icms(NACIONAL, &["22042"], &[]), icms(NACIONAL, &["22"], &["2203"])]),
    ("senado", &[icms(SENADO, &[], &[])]),
    ("tipi-a", &[ipi(&["22"], &["220421"], None), ipi(&["2203"], &[], None), ipi(&["2203000"], &[], Some("01"))]),
    ("tipi-b", &[ipi(&["2203", "2204"], &[], None), ipi(&["2204"], &[], Some("02")), ipi(&["22"], &[], Some("01"))]),
    ("margem-a", &[st(None, &["22"], None), st(None, &["2203"], CEST[0]), st(Some("SP"), &["22"], None)]),
    ("margem-b", &[st(Some("MG"), &["22"], CEST[1]), st(None, &["2203"], CEST[1]), st(None, &["2204"], CEST[0])]),
    ("errante", &[icms(SP, &["2203"], &[]), ipi(&["220300"], &[], None), st(None, &["220421"], None)]),
];

/// A generator of numbers (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn of(seed: u64) -> Random {
        Random(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % limit as u64).unwrap()
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn of_these<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A bundle on its way, and what the model makes of it.
#[derive(Debug, Clone)]
pub struct Step {
    pub clock: u64,
    pub rules: Vec<Version>,
    pub dry_run: bool,
    /// The model after it (of a dry run: as it would be); `None` where it is refused.
    pub after: Option<Model>,
}

impl Step {
    pub fn import(&self, engine: &Engine) -> Result<ImportReport, Vec<BundleFault>> {
        let rules: Vec<Value> = self.rules.iter().map(written_out).collect();
        let files = [file("teste.json", &bundle(&rules).to_string())];
        // The clocks of the histories go back by more than a day.
        let options = ImportOptions { dry_run: self.dry_run, accept_future_date: true, is_proven: false };
        engine.import(&files, Timestamp::from_millis(self.clock).unwrap(), options).map_err(|error| match error {
            ImportError::Faults(faults) => faults,
            other => panic!("{other:?}"),
        })
    }
}

fn written_out(version: &Version) -> Value {
    let Scope { tributo, origem, destino, ncm, exceto, cest, ex } = version.scope;
    let rate = format!("{}.00", version.rate);
    let conteudo = match tributo {
        "icms" if version.rate.is_multiple_of(3) && !ncm.is_empty() => {
            json!({"aliquota": rate, "aliquota_interestadual": rate})
        }
        "icms" => json!({"aliquota": rate}),
        "ipi" => json!({"situacao": "tributado", "aliquota": rate, "tabela_versao": "de teste"}),
        _ => json!({"criterio": "mva", "descricao": version.code, "mva": "100.00", "ajustavel": false,
            "aliquota_interna": rate}),
    };
    let mut escopo = json!({"uf_origem": origem, "uf_destino": destino, "ncm": ncm, "ncm_exceto": exceto,
        "cest": cest, "ex": ex});
    escopo.as_object_mut().unwrap().retain(|_, value| !value.is_null() && *value != json!([]));
    let head = json!({"versao": format!("1.{}", version.minor), "vigente_de": written(version.de),
        "vigente_ate": version.declared.map(written)});
    with(&rule(version.code, tributo, &escopo, &conteudo), &head)
}

/// A history: its bundles in order.
#[derive(Debug)]
pub struct History {
    pub seed: u64,
    pub steps: Vec<Step>,
    /// Its end.
    pub model: Model,
}

const STEPS: usize = 11;
const DAY_MS: usize = 86_400_000;

impl History {
    pub fn of(seed: u64) -> History {
        let mut random = Random::of(seed);
        let mut model = Model::default();
        let mut steps = Vec::new();
        let mut clock = 1_480_000_000_000;
        for n in 0..STEPS {
            clock = match random.below(10) {
                0 => clock,
                1 => clock - random.below(400 * DAY_MS),
                _ => clock + random.below(500 * DAY_MS),
            };
            let mut rules = drafts(&mut random, &model, n);
            let dry_run = random.percent(10);
            if let Some(old) = (!model.versions.is_empty()).then(|| *random.of_these(&model.versions)) {
                match random.below(20) {
                    0 => rules = vec![Version { ate: old.declared, ..old }],
                    1 => rules.push(Version { ate: old.declared, ..old }),
                    2 => rules.push(Version { rate: old.rate % 40 + 50, ate: old.declared, ..old }),
                    // Numbers are given with gaps: this one may be free, and is too low.
                    3 if old.minor > 1 => rules = vec![Version { minor: old.minor - 1, ate: old.declared, ..old }],
                    _ => {}
                }
            }
            let clock = u64::try_from(clock).unwrap();
            let after = model.after(clock, &rules);
            if let Some(after) = after.as_ref().filter(|_| !dry_run) {
                model = after.clone();
            }
            steps.push(Step { clock, rules, dry_run, after });
        }
        History { seed, steps, model }
    }

    /// Every bundle, for the reader of a failure.
    pub fn for_the_reader(&self) -> String {
        let line = |v: &Version| {
            format!("    {} {} {:?} {} .. {:?}\n", v.id(), v.rate, v.scope, written(v.de), v.declared.map(written))
        };
        let steps = self.steps.iter().enumerate().map(|(n, step)| {
            let kind = match (&step.after, step.dry_run) {
                (None, _) => "refused",
                (_, true) => "dry run",
                _ => "taken",
            };
            format!("  {n}: {kind}, clock {}\n{}", step.clock, step.rules.iter().map(line).collect::<String>())
        });
        steps.collect()
    }
}

/// One to four new versions.
fn drafts(random: &mut Random, model: &Model, step: usize) -> Vec<Version> {
    let mut drafts: Vec<Version> = Vec::new();
    for n in 0..=random.below(4) {
        let (mut code, mut scopes) = *random.of_these(&CODES);
        if let Some(before) = drafts.last().filter(|_| random.percent(35)) {
            (code, scopes) = *CODES.iter().find(|(code, _)| *code == before.code).unwrap();
        }
        let known: Vec<Version> = model.versions.iter().chain(&drafts).filter(|v| v.code == code).copied().collect();
        let stay = known.last().filter(|_| random.percent(60)).map(|v| v.scope);
        let scope = stay.unwrap_or_else(|| *random.of_these(scopes));
        let minor = known.iter().map(|v| v.minor).max().unwrap_or(0) + 1 + u32::try_from(random.below(2)).unwrap();
        let de = first_day(random, &known);
        let declared = match random.below(10) {
            0 => Some(de + 1),
            1..4 => Some(de + 1 + random.below(900)),
            4 => known.iter().map(|v| v.de).find(|other| *other > de),
            _ => None,
        }
        .map(|day| day.min(4_600));
        let rate = u32::try_from(step * 4 + n + 1).unwrap();
        let publication = usize::MAX;
        drafts.push(Version {
            code,
            minor,
            scope,
            rate,
            de,
            declared,
            ate: declared,
            superseded_by: None,
            publication,
        });
    }
    drafts
}

/// Anywhere, next to where something begins or ends, or some time after the last.
fn first_day(random: &mut Random, known: &[Version]) -> Day {
    let day = match (known.last(), random.below(10)) {
        (Some(last), 0..5) => last.de + 1 + random.below(700),
        (Some(_), 5..8) => {
            let near = random.of_these(known);
            let edge = if random.percent(50) { near.de } else { near.declared.unwrap_or(near.de) };
            edge + random.below(3) - 1
        }
        _ => 300 + random.below(3_600),
    };
    day.clamp(250, 4_300)
}
