//! The table of the options of `taxd serve` in `packaging/OPERACAO.md`: the options, their variables and their
//! defaults are those of the code. What each does is written there, in Portuguese.

use std::fs;

use clap::Arg;

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/OPERACAO.md");
const BEGIN: &str = "<!-- opções de serve: conferidas com o código por tests/unit/features/serve_options.rs -->\n";
const END: &str = "<!-- fim das opções de serve -->\n";

/// The cells of an option that the code knows.
fn row(arg: &Arg) -> String {
    let takes_value = arg.get_action().takes_values();
    let value = match arg.get_value_names() {
        Some([name, ..]) if takes_value => format!(" {name}"),
        _ => String::new(),
    };
    let code = |text: Option<String>| text.map_or("-".to_owned(), |text| format!("`{text}`"));
    let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
    let declared = arg.get_default_values().first().filter(|_| takes_value);
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let described =
        help.split_once("[default: ").and_then(|(_, rest)| rest.split_once(']')).map(|(text, _)| text.to_owned());
    let default = declared.map(|value| value.to_string_lossy().into_owned()).or(described);
    format!("| `--{}{value}` | {} | {} |", arg.get_long().unwrap_or_default(), code(variable), code(default))
}

/// The options that `taxd serve` takes, global ones too.
fn options() -> Vec<Arg> {
    let mut command = taxd::cli::command();
    command.build();
    let serve = command.find_subcommand("serve").unwrap();
    let common = ["help", "version"];
    serve.get_arguments().filter(|arg| !common.contains(&arg.get_id().as_str())).cloned().collect()
}

#[test]
fn the_guide_lists_every_option_as_the_code_has_it() {
    let guide = fs::read_to_string(GUIDE).unwrap();
    let table = guide.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).expect("the guide has the table").0;
    let mut lines: Vec<&str> = table.lines().skip(2).collect();
    for arg in options() {
        let row = row(&arg);
        let at =
            lines.iter().position(|line| line.starts_with(&row)).unwrap_or_else(|| panic!("no line begins with {row}"));
        let line = lines.remove(at);
        assert!(line.len() > row.len() + " x |".len(), "{line}");
    }
    assert!(lines.is_empty(), "there are no such options: {lines:?}");
}

/// Every option can be set by a variable and in the file, except options that are not settings.
#[test]
fn every_option_that_is_a_setting_has_its_variable() {
    for arg in options().iter().filter(|arg| !["check_config", "json"].contains(&arg.get_id().as_str())) {
        let long = arg.get_long().expect("an option has a long name");
        let variable = format!("TAXD_{}", long.replace('-', "_").to_uppercase());
        assert_eq!(arg.get_env().and_then(|name| name.to_str()), Some(variable.as_str()), "--{long}");
    }
}
