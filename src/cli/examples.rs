//! The end of the help and of the manual page of a command: its examples, each a line of a guide, where a test runs it; of
//! taxd itself, the exit status.

use clap::Command;

pub(super) const HEADING: &str = "Examples:";

pub(super) const EXIT_STATUS: &str = "Exit status:";

/// What each example is for, and the line.
type Examples = &'static [(&'static str, &'static str)];

const EXAMPLES: &[(&[&str], Examples)] = &[
    (&["account", "create"], &[("an account of the plan growth", r#"taxd account create "Escritório" --plan growth"#)]),
    (
        &["audit"],
        &[
            ("a folder of invoices, on the terminal", "taxd audit --empresa empresa.toml --desde 2025-01-01 notas"),
            ("the same for a spreadsheet", "taxd audit --empresa empresa.toml --format csv notas > conferencia.csv"),
        ],
    ),
    (
        &["backup"],
        &[(
            "a copy with the day in its name, also while the server runs",
            "taxd backup /var/backups/taxd/taxd-$(date +%F).redb",
        )],
    ),
    (&["bundle", "check"], &[("what an import would say", "taxd bundle check meu-pacote.json")]),
    (
        &["calc"],
        &[
            (
                "a list of sales, with its results as a spreadsheet",
                "taxd calc vendas.csv --tributo icms --out vendas-calculadas.xlsx",
            ),
            ("payloads as JSON lines", "taxd calc lote.jsonl > respostas.jsonl"),
            ("all taxes of one sale", "taxd calc --operacao operacao.json > apuracao.json"),
            (
                "a rate that the law has not fixed, supposed",
                "taxd calc --supondo cbs.aliquota:8.80 cbs-2027.json > suposta.json",
            ),
        ],
    ),
    (
        &["changes"],
        &[("what changed for a product", "taxd changes --since 01/01/2026 --tributo icms --uf SP --ncm 2203.00.00")],
    ),
    (&["check"], &[("a backup", "taxd check /var/backups/taxd/taxd-$(date +%F).redb")]),
    (&["codes"], &[("the NCM of a product", "taxd codes parafuso inox --tabela ncm")]),
    (&["impact"], &[("the calls that a bundle would change", "taxd impact aumento.json")]),
    (
        &["import"],
        &[
            ("what would be published and superseded", "taxd import --dry-run meu-pacote.json"),
            ("publish the rules of this taxd", "taxd import --builtin"),
        ],
    ),
    (
        &["key", "create"],
        &[("a key for a person", r#"taxd key create --account "Escritório" --kind live --name "Maria""#)],
    ),
    (&["outbox", "list"], &[("the deliveries that failed", "taxd outbox list --state failed")]),
    (&["restore"], &[("a backup, the server stopped", "taxd restore --force /var/backups/taxd/taxd-$(date +%F).redb")]),
    (
        &["rules", "list"],
        &[
            ("the rules of a day", "taxd rules list --tributo icms --uf SP --vigente-em 2026-03-10"),
            ("what ends without a successor", "taxd rules list --termina-ate 2026-12-31 --sem-sucessora"),
        ],
    ),
    (&["rules", "upcoming"], &[("a calendar file", "taxd rules upcoming --days 400 --ics > agenda.ics")]),
    (
        &["serve"],
        &[(
            "whether it can start with TLS",
            "taxd serve --check-config --listen 0.0.0.0:8443 --tls-cert fullchain.pem --tls-key privkey.pem",
        )],
    ),
    (
        &["subscription", "create"],
        &[(
            "the rules of one tax and State",
            r#"taxd subscription create --account "Filial Norte" --url https://erp.example/taxd --tributo icms --uf-origem SP"#,
        )],
    ),
    (
        &["verify"],
        &[(
            "answers that were kept, against the rules of now and then",
            "taxd verify vendas-calculadas.xlsx --tributo icms",
        )],
    ),
];

/// The command line, its commands with their examples.
pub(super) fn add(command: Command) -> Command {
    let status = format!(
        "{EXIT_STATUS}\n  0  done\n  1  refused or failed, or something was found: the output says what\n  2  wrong usage"
    );
    EXAMPLES.iter().fold(command.after_long_help(status), |command, (path, examples)| {
        let lines: Vec<String> = examples.iter().map(|(aim, line)| format!("  # {aim}\n  {line}")).collect();
        let text = format!("{HEADING}\n{}", lines.join("\n"));
        on(command, path, &|command| command.after_long_help(text.clone()))
    })
}

/// Changes the command at that path.
pub(super) fn on(command: Command, path: &[&str], change: &dyn Fn(Command) -> Command) -> Command {
    match path.split_first() {
        Some((name, rest)) => command.mut_subcommand(name, |inner| on(inner, rest, change)),
        None => change(command),
    }
}
