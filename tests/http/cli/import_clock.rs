//! `taxd import` on a data file whose last publication was dated by a clock that was far ahead.

use serde_json::{Value, json};
use taxd::engine::{BundleFile, Engine, ImportOptions};
use taxd::store::Store;
use taxd::value::Instante;

use crate::support::{OwnRules, bundle, rule, taxd, with};

fn version(versao: &str) -> Value {
    let rule = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    with(&rule, &json!({"versao": versao, "vigente_de": format!("202{}-01-01", &versao[2..])}))
}

#[test]
fn it_is_refused_with_what_to_do_and_taken_where_that_is_accepted() {
    let own = OwnRules::none();
    let ahead = Instante::from_millis(Instante::now().millis() + 3 * 24 * 3_600_000).unwrap();
    let engine = Engine::new(Store::open(&own.dir.path()).unwrap(), 0);
    let first = BundleFile::unsigned("first.json", bundle(&[version("1.0")]));
    engine.import(&[first], ahead, ImportOptions::default()).unwrap();
    drop(engine);

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
