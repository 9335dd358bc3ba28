//! What an import says of scopes: the dimensions that are missing, beside those that are faulty.

use serde_json::json;
use taxd_law::tax::REGISTRY;

use crate::support::{engine, publish, rule};

/// A rule of ISS without `uf` heard of it only after its other dimension was corrected. Every tax that needs a dimension.
#[test]
fn missing_dimensions_of_a_scope_are_reported_beside_its_faulty_ones() {
    let mut seen = 0;
    for entry in REGISTRY {
        let fields = entry.escopo.fields();
        let missing = entry.escopo.obrigatorios.iter().map(|axis| axis.as_str());
        for missing in missing {
            for faulty in fields.iter().filter(|field| field.name != missing) {
                let escopo = json!({faulty.name: 7});
                let rules = [rule("uma", entry.tributo.as_str(), &escopo, &json!({"aliquota": "3.00"}))];
                let faults = publish(&engine(0), &rules).unwrap_err();
                let has = |name: &str| faults.iter().any(|f| f.path == format!("regras[0].escopo.{name}"));
                assert!(has(missing), "{}: {missing} beside {}: {faults:?}", entry.sigla, faulty.name);
                let is_said = faults.iter().any(|f| f.path.starts_with(&format!("regras[0].escopo.{}", faulty.name)));
                assert!(is_said, "{}: {} beside {missing}: {faults:?}", entry.sigla, faulty.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}
