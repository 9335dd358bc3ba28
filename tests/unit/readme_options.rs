//! The README's table of the options of `taxd serve`, made from their declaration.
//!
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test unit readme_options` writes it anew.

use std::fs;

use clap::Arg;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
const BEGIN: &str = "<!-- options of serve: made from the code by tests/unit/readme_options.rs -->\n";
const END: &str = "<!-- end of the options of serve -->\n";

fn row(arg: &Arg) -> String {
    let value = match arg.get_value_names() {
        Some([name, ..]) if arg.get_action().takes_values() => format!(" {name}"),
        _ => String::new(),
    };
    let code = |text: Option<String>| text.map_or("none".to_owned(), |text| format!("`{text}`"));
    let variable = arg.get_env().map(|name| name.to_string_lossy().into_owned());
    let default = arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    let default = default.filter(|_| arg.get_action().takes_values());
    let meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!(
        "| `--{}{value}` | {} | {} | {meaning} |\n",
        arg.get_long().unwrap_or_default(),
        code(variable),
        code(default)
    )
}

/// The table as the code has it.
fn table() -> String {
    let command = taxd::cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    let options = serve.get_arguments().filter(|arg| arg.get_long().is_some());
    let head = "| option of `serve` | variable | default | meaning |\n|---|---|---|---|\n".to_owned();
    head + &options.map(row).collect::<String>()
}

#[test]
fn the_table_of_options_is_what_the_code_says() {
    let readme = fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("the README has the table's beginning");
    let (written, after) = rest.split_once(END).expect("the README has the table's end");
    if std::env::var_os("TAXD_REWRITE_GOLDEN").is_some() {
        return fs::write(README, [before, BEGIN, &table(), END, after].concat()).unwrap();
    }
    assert_eq!(written, table(), "write it anew: TAXD_REWRITE_GOLDEN=1 cargo test --test unit readme_options");
}

/// Every option can be set by a variable and in the file, but for those that are no setting.
#[test]
fn every_option_that_is_a_setting_has_its_variable() {
    let command = taxd::cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    for arg in serve.get_arguments().filter(|arg| !["check_config", "json"].contains(&arg.get_id().as_str())) {
        let long = arg.get_long().expect("an option has a long name");
        let variable = format!("TAXD_{}", long.replace('-', "_").to_uppercase());
        assert_eq!(arg.get_env().and_then(|name| name.to_str()), Some(variable.as_str()), "--{long}");
    }
}
