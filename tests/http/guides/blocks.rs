//! The blocks of a Markdown text that a reader types, and what they are shown to print.

/// Commands as they are written.
#[derive(Debug)]
pub struct Block {
    /// Line of the text on which the commands begin.
    pub line: usize,
    /// The word after the language: `stopped` if the server must not run.
    pub mode: String,
    pub commands: String,
    /// Language and text of the block that follows, with nothing between but blank lines and lines that introduce it: they end
    /// in a colon.
    pub printed: Option<(String, String)>,
}

/// The blocks of the language `sh`, in order.
pub fn of(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut follows = false;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            follows &= line.trim().is_empty() || line.ends_with(':');
            continue;
        };
        let inside: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let inside = inside.join("\n");
        let (language, mode) = info.split_once(' ').unwrap_or((info, ""));
        if language == "sh" {
            blocks.push(Block { line: number + 2, mode: mode.to_owned(), commands: inside, printed: None });
            follows = true;
        } else if std::mem::take(&mut follows) {
            let last = blocks.last_mut().expect("it follows one");
            last.printed = Some((language.to_owned(), inside));
        }
    }
    blocks
}

#[test]
fn blocks_are_found_with_what_they_print() {
    let text = "a\n\n```sh\none \\\n  two\n```\n\nThe answer:\n\n```json\n{}\n```\n\n```sh stopped\nthree\n```\nwords\n```text\nno\n```\n";
    let found = of(text);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, found[0].commands.as_str()), (4, "one \\\n  two"));
    assert_eq!(found[0].printed, Some(("json".to_owned(), "{}".to_owned())));
    assert_eq!((found[1].line, found[1].mode.as_str(), &found[1].printed), (15, "stopped", &None));
}
