//! A browser under control: `chromedriver`, one session of it, its commands (W3C `WebDriver`).
//!
//! With `TAXD_PICTURES=FOLDER` every test leaves pictures of the page as it was at its end: wide and narrow, light and dark.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};

/// Longest that a condition of a page may take to come true.
const PATIENCE_MS: u64 = 30_000;

/// The name of an element in the protocol (`WebDriver`, section 12.1).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser of one's own with one new window. Tests one after the other take the same browser: to start one takes longer
/// than most tests.
pub struct Driver {
    /// `None` only while it is dropped.
    browser: Option<Browser>,
}

/// A running browser. Its end is that of its processes.
struct Browser {
    child: Child,
    agent: ureq::Agent,
    session: String,
}

/// The browsers that no test has, and the number of those that one has.
static BROWSERS: Mutex<(Vec<Browser>, usize)> = Mutex::new((Vec::new(), 0));

/// Says that something is missing: a word on a developer's machine, a failure in CI. The word goes
/// where the harness does not keep it back, as it does what a test that passes prints.
#[track_caller]
pub fn missing(what: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI must not pass over it");
    if SAID.lock().unwrap().insert(what.to_owned()) {
        std::io::stderr().write_all(format!("\npassed over: {what} is not there\n").as_bytes()).unwrap();
    }
}

/// Whether that program is on the path.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A running chromedriver and its port; `None` if it ends without one.
fn chromedriver() -> Option<(Child, String)> {
    let mut child = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
        line.rsplit_once("started successfully on port ").map(|(_, port)| port.trim_end_matches('.').to_owned())
    });
    let Some(port) = port else {
        child.wait().unwrap();
        return None;
    };
    // Whatever else it says is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    Some((child, port))
}

/// What the driver answers to a command. Fails if it is an error.
#[track_caller]
fn value_of(mut response: ureq::http::Response<ureq::Body>, command: &str) -> Value {
    let text = response.body_mut().with_config().limit(64 << 20).read_to_string().unwrap();
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    assert!(response.status().is_success(), "{command}: {}", answer["value"]["message"]);
    answer["value"].take()
}

impl Browser {
    fn start() -> Browser {
        // It takes a port of IPv4 and then the same of IPv6, which a test beside it may have: it gives up, and has
        // better luck the next time.
        let (child, port) = (0..5).find_map(|_| chromedriver()).expect("chromedriver says its port");
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_millis(2 * PATIENCE_MS)));
        let base = format!("http://127.0.0.1:{port}/session");
        let mut browser = Browser { child, agent: config.build().into(), session: base };
        let options = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"script": PATIENCE_MS},
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=pt-BR",
                "--force-prefers-reduced-motion",
            ]},
        }}});
        let made = browser.post("", &options);
        browser.session = format!("{}/{}", browser.session, made["sessionId"].as_str().unwrap());
        browser
    }

    #[track_caller]
    fn post(&self, command: &str, body: &Value) -> Value {
        let request = self.agent.post(format!("{}{command}", self.session)).content_type("application/json");
        value_of(request.send(body.to_string().as_bytes()).unwrap(), command)
    }

    /// Opens a window, and closes the one before with what its page stored and said.
    #[track_caller]
    fn renew(&self) {
        let devtools =
            |cmd: &str, params: &Value| self.post("/goog/cdp/execute", &json!({"cmd": cmd, "params": params}));
        let origin = self.post("/execute/sync", &json!({"script": "return origin", "args": []}));
        if origin.as_str().is_some_and(|origin| origin.starts_with("http")) {
            devtools("Storage.clearDataForOrigin", &json!({"origin": origin, "storageTypes": "all"}));
        }
        let window = self.post("/window/new", &json!({"type": "tab"}));
        let closed = self.agent.delete(format!("{}/window", self.session)).call().unwrap();
        value_of(closed, "/window");
        self.post("/window", &json!({"handle": window["handle"]}));
        self.post("/se/log", &json!({"type": "browser"}));
        let listener = "addEventListener('securitypolicyviolation', (e) => { (window.violations ??= []).push(`${e.violatedDirective}: ${e.blockedURI} ${e.sample}`); });";
        devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": listener}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session ends the browser; then the driver, by its own handle, can go.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Driver {
    /// A browser; `None`, after a word, where none is installed.
    pub fn start() -> Option<Driver> {
        for program in ["chromium", "chromedriver"] {
            if !is_installed(program) {
                missing(program);
                return None;
            }
        }
        let idle = {
            let mut browsers = BROWSERS.lock().unwrap();
            browsers.1 += 1;
            browsers.0.pop()
        };
        // From here on its drop counts it off again.
        let mut driver = Driver { browser: None };
        driver.browser = Some(idle.unwrap_or_else(Browser::start));
        driver.browser().renew();
        Some(driver)
    }

    fn browser(&self) -> &Browser {
        self.browser.as_ref().expect("a driver that is not dropped")
    }

    #[track_caller]
    fn post(&self, command: &str, body: &Value) -> Value {
        self.browser().post(command, body)
    }

    /// A command of the browser's own protocol.
    #[track_caller]
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Gives the window a size in pixels; below 500 it is a phone's.
    #[track_caller]
    pub fn sized(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Opens an address.
    #[track_caller]
    pub fn open(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    /// What the body of a function answers in the page.
    #[track_caller]
    pub fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": arguments}))
    }

    /// The same of one that answers by calling its last argument.
    #[track_caller]
    pub fn run_later(&self, script: &str) -> Value {
        self.run_later_with(script, &[])
    }

    /// The same, with arguments before the one that it calls.
    #[track_caller]
    pub fn run_later_with(&self, script: &str, arguments: &[Value]) -> Value {
        self.post("/execute/async", &json!({"script": script, "args": arguments}))
    }

    /// The page as it would be printed on A4, as PDF.
    #[track_caller]
    pub fn print(&self) -> Vec<u8> {
        let a4 = json!({"page": {"width": 21.0, "height": 29.7}});
        BASE64.decode(self.post("/print", &a4).as_str().unwrap().as_bytes()).unwrap()
    }

    #[track_caller]
    fn element(&self, css: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": css}));
        // A reader opens the group of a field first, and scrolls it from below the buttons of its form.
        let open = "const [e] = arguments; const box = e.localName !== 'summary' && e.closest('details.mais'); if (box) box.open = true; if (e.matches('option, .acao *')) return; e.scrollIntoView({ block: 'nearest' }); const { left, top, width, height } = e.getBoundingClientRect(); const over = document.elementFromPoint(left + width / 2, top + height / 2); if (over?.closest('.acao')) e.scrollIntoView({ block: 'center' })";
        self.run(open, std::slice::from_ref(&found));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks as a user does: on what is there to be clicked.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.post(&format!("/element/{}/click", self.element(css)), &json!({}));
    }

    /// Types into an emptied field.
    #[track_caller]
    pub fn fill(&self, css: &str, text: &str) {
        let element = self.element(css);
        self.post(&format!("/element/{element}/clear"), &json!({}));
        if !text.is_empty() {
            self.post(&format!("/element/{element}/value"), &json!({"text": text}));
        }
    }

    /// Types into a field as it is; into one for a file, its path.
    #[track_caller]
    pub fn send_keys(&self, css: &str, text: &str) {
        self.post(&format!("/element/{}/value", self.element(css)), &json!({"text": text}));
    }

    /// Chooses files in a field for them.
    #[track_caller]
    pub fn pick(&self, css: &str, paths: &[String]) {
        let element = self.element(css);
        // A field for several files would keep those that it has.
        self.post(&format!("/element/{element}/clear"), &json!({}));
        self.post(&format!("/element/{element}/value"), &json!({"text": paths.join("\n")}));
    }

    /// Presses keys one after the other, wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: &str) {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}));
    }

    /// Presses a key with Control.
    #[track_caller]
    pub fn press_with_control(&self, key: &str) {
        const CONTROL: &str = "\u{e009}";
        let strokes = [("keyDown", CONTROL), ("keyDown", key), ("keyUp", key), ("keyUp", CONTROL)]
            .map(|(kind, value)| json!({"type": kind, "value": value}));
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}));
    }

    /// What the browser's console said since the last time.
    #[track_caller]
    pub fn console(&self) -> Vec<Value> {
        self.post("/se/log", &json!({"type": "browser"})).as_array().unwrap().clone()
    }
}

/// The folder for pictures, if some are wanted.
const PICTURES: &str = "TAXD_PICTURES";

impl Driver {
    /// Writes four pictures of the whole page, named after the test.
    fn picture(&self, folder: &Path) {
        let test = std::thread::current().name().unwrap_or("page").replace("::", "-");
        self.devtools("Emulation.setScrollbarsHidden", &json!({"hidden": true}));
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")] {
            let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
            self.devtools("Emulation.setEmulatedMedia", &json!({"features": features}));
            // A window as high as the page: what is sticky is not drawn beyond it.
            let size = |height: &Value| {
                let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
                self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            };
            size(&json!(800));
            size(&self.devtools("Page.getLayoutMetrics", &json!({}))["cssContentSize"]["height"]);
            let taken = self.devtools("Page.captureScreenshot", &json!({}));
            let png = BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap();
            std::fs::write(folder.join(format!("{test}-{width}-{scheme}.png")), png).unwrap();
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let failed = std::thread::panicking();
        if let Some(folder) = std::env::var_os(PICTURES).filter(|_| !failed) {
            self.picture(folder.as_ref());
        }
        let mut browsers = BROWSERS.lock().unwrap();
        browsers.1 -= 1;
        // Nobody may get the browser of a test that failed.
        browsers.0.extend(self.browser.take().filter(|_| !failed));
        // The last test ends them all: nothing else runs at the end of the tests.
        let over = if browsers.1 == 0 { std::mem::take(&mut browsers.0) } else { Vec::new() };
        drop(browsers);
        drop(over);
    }
}
