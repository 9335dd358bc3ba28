//! Names for what differs from run to run.

use taxd::base::value::Timestamp;

/// What a text may have that differs from run to run, and the name that is recorded in its place: `#` is a digit, `~` a
/// hexadecimal digit, `%` a character of base64.
const SHAPES: [(&str, Shown); 12] = [
    ("acc_~~~~~~~~~~~~~~~~", Shown::Numbered("acc")),
    ("key_~~~~~~~~~~~~", Shown::Numbered("key")),
    ("svc_live_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", Shown::Numbered("svc_live")),
    ("svc_test_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", Shown::Numbered("svc_test")),
    ("whsec_%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%=", Shown::Numbered("whsec")),
    ("####-##-##T##:##:##.###Z", Shown::Since("instant")),
    ("####-##-## ##:##:## +00:00", Shown::Since("instant")),
    ("########T######Z", Shown::Since("instant")),
    ("##/##/#### ##:##:##", Shown::Since("instant")),
    ("####-##-##", Shown::Itself),
    ("####-##", Shown::Since("month")),
    (env!("CARGO_PKG_VERSION"), Shown::Always("version")),
];

/// Members of JSON whose value differs from run to run, or with the official tables of the binary.
const MEMBERS: [&str; 12] = [
    "request_id",
    "bytes",
    "uptime_s",
    "latency_ms",
    "p50_ms",
    "p95_ms",
    "log",
    "cache",
    "disk",
    "rows",
    "tables",
    "tabelas",
];

/// How the text of a shape is shown.
#[derive(Clone, Copy)]
enum Shown {
    /// By a number, the same for the same text: `<key 1>`.
    Numbered(&'static str),
    /// By its name.
    Always(&'static str),
    /// As it is, so that its beginning is not taken for a month: dates of the law, which come to be today.
    Itself,
    /// By its name if it is of the days of this run; fixed days are shown.
    Since(&'static str),
}

/// The names that were given in a transcript.
pub(super) struct Names {
    /// The real text and its name.
    given: Vec<(String, String)>,
    /// The first day of the run, and the next two, on which a key may end; each in all forms.
    days: Vec<String>,
    /// The folder of the run.
    home: String,
}

fn fits(shape: &str, text: &str) -> bool {
    let fits_one = |(shape, found): (u8, u8)| match shape {
        b'#' => found.is_ascii_digit(),
        b'~' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        b'%' => found.is_ascii_alphanumeric() || found == b'+' || found == b'/',
        _ => shape == found,
    };
    text.len() >= shape.len() && shape.bytes().zip(text.bytes()).all(fits_one)
}

/// The length of the JSON value that the text begins with.
fn value_length(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    values.next().unwrap().unwrap();
    values.byte_offset()
}

/// A day in each form in which it begins an instant.
fn forms(day: &str) -> [String; 3] {
    let (year, month, date) = (&day[..4], &day[5..7], &day[8..]);
    [day.to_owned(), [year, month, date].concat(), [date, month, year].join("/")]
}

impl Names {
    pub(super) fn new(home: String) -> Names {
        let today = Timestamp::now().millis();
        let day = |after: u64| Timestamp::from_millis(today + after * 86_400_000).unwrap().day().to_string();
        Names { given: Vec::new(), days: (0..3).flat_map(|after| forms(&day(after))).collect(), home }
    }

    /// Replaces the names in a command by what they were given to.
    pub(super) fn real(&self, command: &str) -> String {
        self.given.iter().fold(command.to_owned(), |text, (real, name)| text.replace(name, real))
    }

    /// Replaces what differs from run to run by names.
    pub(super) fn masked(&mut self, text: &str) -> String {
        let text = text.replace(&format!("{}/", self.home), "");
        let mut shown = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = ' ';
        while let Some(next) = rest.chars().next() {
            let found = if before.is_ascii_alphanumeric() { None } else { self.named(rest) };
            let (name, length) = found.unwrap_or_else(|| (next.to_string(), next.len_utf8()));
            shown += &name;
            before = rest[..length].chars().next_back().unwrap();
            rest = &rest[length..];
        }
        shown
    }

    /// The name of what the text begins with, and the length of what is named.
    fn named(&mut self, text: &str) -> Option<(String, usize)> {
        if let Some(member) = MEMBERS.iter().find(|member| text.starts_with(&format!("\"{member}\":"))) {
            let from = member.len() + 3;
            return Some((format!("\"{member}\":<{member}>"), from + value_length(&text[from..])));
        }
        let (shape, shown) = *SHAPES.iter().find(|(shape, _)| fits(shape, text))?;
        let found = &text[..shape.len()];
        let name = match shown {
            Shown::Numbered(kind) => self.numbered(kind, found),
            Shown::Always(name) => format!("<{name}>"),
            Shown::Since(name) if self.is_of_this_run(found) => format!("<{name}>"),
            Shown::Since(_) | Shown::Itself => found.to_owned(),
        };
        Some((name, shape.len()))
    }

    /// True of an instant or a month.
    fn is_of_this_run(&self, found: &str) -> bool {
        self.days.iter().any(|day| found.starts_with(day) || day.starts_with(found))
    }

    fn numbered(&mut self, kind: &str, found: &str) -> String {
        if let Some((_, name)) = self.given.iter().find(|(real, _)| real == found) {
            return name.clone();
        }
        let number = 1 + self.given.iter().filter(|(_, name)| name.starts_with(&format!("<{kind} "))).count();
        let name = format!("<{kind} {number}>");
        self.given.push((found.to_owned(), name.clone()));
        name
    }

    /// The first production key that was shown.
    pub(super) fn key(&self) -> &str {
        let (key, _) = self.given.iter().find(|(_, name)| name == "<svc_live 1>").expect("no key was made");
        key
    }
}
