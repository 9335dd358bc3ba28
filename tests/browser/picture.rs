//! The picture of the page in the README.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::json;

use super::page::Page;
use super::support::DataDir;

/// If set, the picture is taken again; 64 colours (`convert -colors 64`) then make it small enough.
const REWRITE: &str = "TAXD_REWRITE_GOLDEN";
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 1000;
/// What a reader on a slow line waits for.
const MAX_BYTES: usize = 120 * 1024;

#[test]
fn the_readme_has_a_picture_of_the_page_with_an_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("packaging/sandbox.png");
    if std::env::var_os(REWRITE).is_some() {
        let dir = DataDir::ready();
        let server = dir.serve(&[]);
        let page = Page::with_key(&server).expect("a picture takes a browser");
        let metrics = json!({"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        page.example("icms");
        page.calculate();
        page.run("scrollTo(0, 0)", &[]);
        let taken = page.devtools("Page.captureScreenshot", &json!({"format": "png"}));
        std::fs::write(&file, BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap()).unwrap();
    }
    let picture = std::fs::read(&file).unwrap();
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (WIDTH, HEIGHT), "width and height");
    assert!(picture.len() < MAX_BYTES, "{} bytes", picture.len());
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("](packaging/sandbox.png)"));
}
