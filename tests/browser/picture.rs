//! The pictures of the page in the README and in the accountant's guide.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::json;

use super::documents::check_seeds;
use super::page::Page;
use super::support::DataDir;

/// If set, the pictures are taken again; 64 colours (`mogrify -colors 64 packaging/*.png`) then make them small enough.
const REWRITE: &str = "TAXD_REWRITE_GOLDEN";
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 1000;
/// What a reader on a slow line waits for.
const MAX_BYTES: usize = 120 * 1024;

/// A picture in `packaging`.
struct Picture {
    file: &'static str,
    /// Brings the page to what is shown.
    pose: fn(&Page),
    /// The texts that show it, by the name that they give it.
    shown_by: &'static [(&'static str, &'static str)],
}

const PICTURES: [Picture; 2] = [
    Picture {
        file: "sandbox.png",
        pose: |page| {
            page.example("icms");
            page.calculate();
            page.run("scrollTo(0, 0)", &[]);
        },
        shown_by: &[("README.md", "](packaging/sandbox.png)"), ("packaging/CONTADOR.md", "](sandbox.png)")],
    },
    Picture {
        file: "documentos.png",
        pose: |page| {
            check_seeds(page);
            page.run("document.querySelector('#documentos-lista h3').scrollIntoView()", &[]);
        },
        shown_by: &[("packaging/CONTADOR.md", "](documentos.png)")],
    },
];

#[test]
fn the_texts_have_pictures_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for Picture { file, pose, shown_by } in PICTURES {
        let path = root.join("packaging").join(file);
        if std::env::var_os(REWRITE).is_some() {
            let dir = DataDir::ready();
            let server = dir.serve(&[]);
            let page = Page::with_key(&server).expect("a picture takes a browser");
            let metrics = json!({"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
            page.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            pose(&page);
            let taken = page.devtools("Page.captureScreenshot", &json!({"format": "png"}));
            std::fs::write(&path, BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap()).unwrap();
            // It is still too large.
            continue;
        }
        let picture = std::fs::read(&path).unwrap();
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"), "{file}");
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (WIDTH, HEIGHT), "width and height of {file}");
        assert!(picture.len() < MAX_BYTES, "{file}: {} bytes", picture.len());
        for (text, link) in shown_by {
            assert!(std::fs::read_to_string(root.join(text)).unwrap().contains(link), "{text} does not show {file}");
        }
    }
}
