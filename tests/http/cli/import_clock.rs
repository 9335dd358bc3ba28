//! `taxd import` by a clock that is far from the last publication of the data file.

use serde_json::{Value, json};
use taxd::base::value::Timestamp;
use taxd::core::engine::{BundleFile, Engine, ImportOptions};
use taxd::core::store::Store;
use taxd::features::Command;
use taxd::features::import::{ImportCommand, ImportFile};

use crate::support::{InProcess, OwnRules, bundle, rule, taxd, with};

fn version(versao: &str) -> Value {
    let rule = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    with(&rule, &json!({"versao": versao, "vigente_de": format!("202{}-01-01", &versao[2..])}))
}

const DAY_MS: u64 = 24 * 3_600_000;

/// A data file whose only publication is of that instant.
fn published_at(instant: Timestamp) -> OwnRules {
    let own = OwnRules::none();
    let engine = Engine::new(Store::open(&own.dir.path()).unwrap(), 0);
    let first = BundleFile::unsigned("first.json", bundle(&[version("1.0")]));
    engine.import(&[first], instant, ImportOptions::default()).unwrap();
    own
}

fn days_ago(days: u64) -> Timestamp {
    Timestamp::from_millis(Timestamp::now().millis() - days * DAY_MS).unwrap()
}

/// A clock 400 days ahead took an import without a word.
#[test]
fn a_clock_400_days_after_the_last_publication_is_warned_of() {
    let last = days_ago(400);
    let own = published_at(last);
    let file = own.dir.write("next.json", bundle(&[version("1.1")]));
    let server = own.serve();
    for more in [["--dry-run"].as_slice(), &[]] {
        assert!(!server.log().contains("400 days"), "only what is written is logged");
        let done = own.import(&file, more).ok();
        let told = done.stderr.lines().find(|line| line.contains("400 days")).unwrap_or_else(|| panic!("{done:?}"));
        assert!(told.contains(&last.to_string()) && told.contains("clock"), "{told}");
    }
    server.wait_for_log("400 days");
    // The next one follows a publication of just now.
    let next = own.dir.write("next.json", bundle(&[version("1.2")]));
    assert_eq!(own.import(&next, &["--json"]).ok().json()["avisos"], json!([]));
}

#[test]
fn a_clock_ten_years_after_the_last_publication_is_refused_with_what_to_do() {
    let last = days_ago(3_654);
    let own = published_at(last);
    let file = own.dir.write("next.json", bundle(&[version("1.1")]));
    let server = own.serve();
    let done = own.import(&file, &[]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
    for told in [&last.to_string(), "clock", "nothing was imported", "--accept-future-date"] {
        assert!(done.stderr.contains(told), "{told}: {}", done.stderr);
    }
    assert_eq!(server.changelog("").len(), 1);
    let report = own.import(&file, &["--accept-future-date", "--json"]).ok().json();
    assert_eq!((report["publicadas"].as_array().map(Vec::len), &report["avisos"]), (Some(1), &json!([])));
}

/// The days of rules end with 2200; a clock beyond that made every listing an internal error.
#[test]
fn listings_are_answered_by_a_clock_200_years_ahead() {
    let service = InProcess::start("2226-11-22T05:22:40Z");
    let file = ImportFile { name: "first.json".to_owned(), text: bundle(&[version("1.0")]), signature: None };
    service.admin(Command::Import(ImportCommand {
        files: vec![file],
        accept_future_date: true,
        ..ImportCommand::default()
    }));
    for query in ["", "?situacao=vigente", "?vigente_em=2200-12-31"] {
        let page = service.get_own(&format!("/v1/regras{query}"));
        assert_eq!(page.status, 200, "{}", page.text());
        assert_eq!(page.json()["regras"][0]["situacao"], "vigente");
    }
    for path in ["/v1/changelog", "/v1/usage"] {
        assert_eq!(service.get_own(path).status, 200, "{path}");
    }
}

#[test]
fn one_far_behind_is_refused_with_what_to_do_and_taken_where_that_is_accepted() {
    let ahead = Timestamp::from_millis(Timestamp::now().millis() + 3 * DAY_MS).unwrap();
    let own = published_at(ahead);

    let file = own.dir.write("next.json", bundle(&[version("1.1")]));
    let check = || {
        for more in [[].as_slice(), &["--dry-run"]] {
            let done = own.import(&file, more);
            assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
            for told in [&ahead.to_string(), "clock", "nothing was imported", "--accept-future-date"] {
                assert!(done.stderr.contains(told), "{told}: {}", done.stderr);
            }
        }
    };
    check();
    let checked = taxd(&own.dir, ["bundle".as_ref(), "check".as_ref(), file.as_os_str()]).ok().stdout;
    assert!(checked.contains("t-ipva-ac-v1.1"), "a bundle is not at fault for a clock: {checked}");
    let server = own.serve();
    check();
    assert_eq!(server.changelog("").len(), 1);
    own.import(&file, &["--accept-future-date"]).ok();
    let at = server.changelog("")[0]["publicado_em"].as_str().unwrap().to_owned();
    assert!(at > ahead.to_string(), "{at}");
    assert_eq!(taxd(&own.dir, ["rules", "show", "t-ipva-ac-v1.1"]).code, 0);
}
