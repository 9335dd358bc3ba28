//! The sandbox page as the tests speak of it.

use std::ops::Deref;

use serde_json::{Value, json};

use super::driver::Driver;
use super::effort::{Effort, Task};
use super::support::{Client, DataDir, Server};

/// A script's function: what a module of the first view exports, by its names. They travel shortened, in the order of the
/// source, which the source map has.
pub const EXPORTS_OF: &str = r"
const exportsOf = async (module) => {
  const all = await import('/sandbox/app.js');
  const { sections } = await (await fetch('/sandbox/app.js.map')).json();
  const { map } = sections.find(({ map: { sources } }) => sources[0] === `${module}.js`);
  const names = [...map.sourcesContent[0].matchAll(/^export (?:async )?\w+ (\w+)/gm)].map(([, name]) => name);
  return Object.fromEntries(Object.values(all[`${module}_js`]).map((value, i) => [names[i], value]));
};
";

/// The page in a browser, at the address of one server.
pub struct Page {
    driver: Driver,
    base: String,
    effort: Effort,
}

impl Deref for Page {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.driver
    }
}

impl Page {
    /// The page as it is opened; `None` without a browser.
    #[track_caller]
    pub fn of(client: &Client) -> Option<Page> {
        let page = Page { driver: Driver::start()?, base: client.url("/sandbox"), effort: Effort::default() };
        page.visit("");
        Some(page)
    }

    /// The same with the server's key.
    #[track_caller]
    pub fn with_key(client: &Client) -> Option<Page> {
        let page = Page::of(client)?;
        page.give_key(&client.key);
        Some(page)
    }

    /// The page of a new server, with its key; `None` without a browser.
    #[track_caller]
    pub fn served() -> Option<(impl Deref<Target = Server>, Page)> {
        let server = DataDir::served();
        Page::with_key(&server).map(|page| (server, page))
    }

    /// The same as it is opened.
    #[track_caller]
    pub fn served_without_key() -> Option<(impl Deref<Target = Server>, Page)> {
        let server = DataDir::served();
        Page::of(&server).map(|page| (server, page))
    }

    /// Gives the page a key as a user does, and waits until it knows whose it is, or that it is nobody's.
    #[track_caller]
    pub fn give_key(&self, key: &str) {
        if self.run("return document.getElementById('chave-formulario').hidden", &[]) == true {
            self.click("#chave-trocar");
        }
        self.fill("#chave", key);
        self.press("\u{e007}");
        self.wait_for("!document.querySelector('#chave-formulario[aria-busy]')");
    }

    /// Chooses a tax and fills its form with the example.
    #[track_caller]
    pub fn example(&self, tributo: &str) {
        self.choose("#tributo", tributo);
        self.click("#exemplo");
    }

    /// Reloads the page at this fragment; Calcular if it is empty.
    #[track_caller]
    pub fn visit(&self, fragment: &str) {
        self.reload(if fragment.is_empty() { "#calcular" } else { fragment });
    }

    /// Reloads the page as it is without a fragment.
    #[track_caller]
    pub fn visit_start(&self) {
        self.reload("");
    }

    #[track_caller]
    fn reload(&self, fragment: &str) {
        self.open("about:blank");
        self.open(&format!("{}{fragment}", self.base));
        self.wait_for("document.documentElement.dataset.pronta === 'sim'");
    }

    /// Waits until the expression is true.
    #[track_caller]
    pub fn wait_for(&self, condition: &str) {
        let script = format!(
            "const done = arguments[0]; const look = () => (({condition}) ? done(true) : requestAnimationFrame(look)); look();"
        );
        assert_eq!(self.run_later(&script), true, "{condition}");
    }

    /// The text of an expression.
    #[track_caller]
    pub fn text(&self, expression: &str) -> String {
        let value = self.run(&format!("return String({expression})"), &[]);
        value.as_str().unwrap().to_owned()
    }

    /// The text that an element shows.
    #[track_caller]
    pub fn shown(&self, css: &str) -> String {
        self.text(&format!("document.querySelector({}).innerText", json!(css)))
    }

    /// Chooses an option as a user does.
    #[track_caller]
    pub fn choose(&self, css: &str, value: &str) {
        self.effort.field();
        self.driver.click(&format!("{css} option[value=\"{value}\"]"));
    }

    /// Types into an emptied field.
    #[track_caller]
    pub fn fill(&self, css: &str, text: &str) {
        self.effort.field();
        self.driver.fill(css, text);
    }

    /// Chooses files in a field for them.
    #[track_caller]
    pub fn pick(&self, css: &str, paths: &[String]) {
        self.effort.field();
        self.driver.pick(css, paths);
    }

    /// Clicks on what is neither a field nor the button of its form.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.effort.click();
        self.driver.click(css);
    }

    /// A task begins.
    pub fn begin(&self) {
        self.effort.begin();
    }

    /// Fills the form of the tax, top down, and calculates: a field with `=` before its value is a choice.
    #[track_caller]
    pub fn type_case(&self, values: &[(&str, &str)]) {
        for (name, text) in values {
            let css = format!("#campo-{name}");
            match text.strip_prefix('=') {
                Some(value) => self.choose(&css, value),
                None => self.fill(&css, text),
            }
        }
        self.calculate();
    }

    /// The task is done; another one may follow.
    #[track_caller]
    pub fn done(&self, task: &Task) {
        self.effort.done(task);
    }

    /// What the form would send.
    #[track_caller]
    pub fn payload(&self) -> Value {
        serde_json::from_str(&self.text("document.getElementById('enviado').textContent")).unwrap()
    }

    /// Sends the form and waits for the answer or refusal.
    #[track_caller]
    pub fn calculate(&self) {
        self.driver.click("#enviar");
        self.wait_for_answer();
    }

    /// Waits until the call under way is answered.
    #[track_caller]
    pub fn wait_for_answer(&self) {
        self.wait_for("document.querySelector('#resposta h3') && !document.querySelector('#enviar[aria-disabled]')");
    }

    /// The document that the service answered with.
    #[track_caller]
    pub fn answer(&self) -> Value {
        serde_json::from_str(&self.text("document.getElementById('json').textContent")).unwrap()
    }

    /// Goes to a part by the links of the head: its group, then itself.
    #[track_caller]
    pub fn open_part(&self, group: &str, part: &str) {
        self.click(&format!("nav a[href='#{group}']"));
        let link = format!("nav ul ul a[href='#{part}']");
        self.wait_for(&format!("document.querySelector({}).offsetParent", json!(link)));
        self.click(&link);
    }

    /// Goes to a part and waits for what it must show.
    #[track_caller]
    pub fn go(&self, fragment: &str, css: &str) {
        self.run("location.hash = arguments[0]", &[json!(fragment)]);
        self.wait_for(&format!("document.querySelector({}) && !document.querySelector('[aria-busy]')", json!(css)));
    }

    /// Nothing went wrong that nobody saw: no error in the console but the statuses that the
    /// service may answer with, no violation of the policy, nothing wider than the window.
    #[track_caller]
    pub fn assert_clean(&self, place: &str) {
        let said: Vec<String> = self.console().iter().filter(|e| !is_refusal(e)).map(ToString::to_string).collect();
        assert!(said.is_empty(), "{place}: {said:#?}");
        assert_eq!(self.run("return window.violations ?? []", &[]), json!([]), "{place}");
        let beyond = self.run("return document.documentElement.scrollWidth - innerWidth", &[]);
        assert!(beyond.as_i64().is_some_and(|pixels| pixels <= 0), "{place}: {beyond} pixels beyond the window");
    }
}

/// Chromium writes of every answer of 400 and above that it "failed to load"; so it does of a
/// server that is gone.
fn is_refusal(entry: &Value) -> bool {
    entry["source"] == "network" && entry["message"].as_str().is_some_and(|m| m.contains("/v1/"))
}

/// An amount as the page shows it.
pub fn reais(sent: &Value) -> String {
    let text = sent.as_str().unwrap();
    let (whole, cents) = text.split_once('.').unwrap();
    let digits: Vec<char> = whole.chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    format!("R$\u{a0}{},{cents}", groups.join("."))
}
