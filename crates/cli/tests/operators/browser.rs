//! The HTML report in a real browser, without network.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::Project;
use crate::skip;

const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// The colour of what survived, as the style sheet has it for light screens.
const SURVIVED: [u8; 3] = [0xcf, 0x22, 0x2e];

/// A class that would load something from here if its source were taken for HTML.
pub(crate) struct Trap {
    listener: TcpListener,
}

impl Trap {
    pub(crate) fn set(project: &Project) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let image = format!("<img src=http://{}/x>", listener.local_addr().unwrap());
        let source = format!(
            "package operators;\n/** <!-- </script>{image} */\npublic class Trap {{\n    static String f(String a) {{\n        \
             return a.concat(\"<!-- </script>{image}\");\n    }}\n}}\n"
        );
        project.write("src/main/java/operators/Trap.java", source.as_bytes());
        Self { listener }
    }

    fn is_untouched(&self) -> bool {
        self.listener.accept().is_err()
    }
}

/// Opens the report of a project's first run.
pub(crate) fn check(project: &Project, report: &Value, trap: &Trap) {
    let found = BROWSERS.iter().find_map(|name| on_path(name));
    let Some(browser) = found else {
        return skip("the HTML report", "there is no Chromium or Chrome");
    };
    let page = Page {
        browser,
        project,
        file: project.path(".braid/runs/1/report.html"),
    };
    overview_shows_what_survived(&page, report);
    files_show_their_mutants(&page);
    let pixels = page.screenshot();
    let colours: BTreeSet<[u8; 3]> = pixels.iter().copied().collect();
    assert!(colours.len() > 50, "{} colours", colours.len());
    let red = pixels.iter().filter(|pixel| **pixel == SURVIVED).count();
    assert!(red > 1_000, "{red} pixels show what survived");
    assert!(trap.is_untouched(), "the page asks for something elsewhere");
}

fn overview_shows_what_survived(page: &Page<'_>, report: &Value) {
    let dom = page.dom("");
    let files = report["files"].as_object().unwrap().values();
    let mutants = files.flat_map(|file| file["mutants"].as_array().unwrap());
    let (mut survivors, mut killed) = (0, 0);
    for mutant in mutants {
        let card = format!("data-id=\"{}\"", escaped(mutant["id"].as_str().unwrap()));
        match mutant["status"].as_str().unwrap() {
            "Survived" => {
                assert!(dom.contains(&card), "{card} is not shown");
                survivors += 1;
            }
            "Killed" => {
                assert!(!dom.contains(&card), "{card} is shown");
                killed += 1;
            }
            _ => {}
        }
    }
    assert!(survivors > 50 && killed > 200);
    for text in [
        format!(">{survivors} survived</button>"),
        format!(">{killed} killed</button>"),
        "default-src 'none'".to_owned(),
        "that no test notices".to_owned(),
    ] {
        assert!(dom.contains(&text), "{text} is missing");
    }
}

fn files_show_their_mutants(page: &Page<'_>) {
    let dom = page.dom("#src%2Fmain%2Fjava%2Foperators%2FConditions.java:58");
    assert!(dom.contains("<title>Conditions.java - Mutants - Braid</title>"));
    assert!(dom.contains("<del>- if (<b>age &gt;= 18</b>) {"));
    assert!(dom.contains("<ins>+ if (<b>age &gt; 18</b>) {"));
    // what is in a source stays text
    let dom = page.dom("#src%2Fmain%2Fjava%2Foperators%2FTrap.java");
    assert!(dom.contains("&lt;/script&gt;&lt;img src=http://127.0.0.1:"));
}

/// Text as it stands in an attribute.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

struct Page<'p> {
    browser: PathBuf,
    project: &'p Project,
    file: PathBuf,
}

impl Page<'_> {
    fn run(&self, what: &str, part: &str) -> String {
        let profile = self.project.path("browser");
        let output = Command::new(&self.browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--window-size=1280,900"])
            .args(["--virtual-time-budget=5000", "--timeout=60000", what])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}{part}", self.file.display()))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The document once its script has run.
    fn dom(&self, part: &str) -> String {
        self.run("--dump-dom", part)
    }

    /// The pixels of what a user sees first.
    fn screenshot(&self) -> Vec<[u8; 3]> {
        let path = self.project.path("report.png");
        self.run(&format!("--screenshot={}", path.display()), "");
        if let Some(folder) = std::env::var_os("BRAID_SCREENSHOTS") {
            fs::copy(&path, Path::new(&folder).join("report.png")).unwrap();
        }
        let mut decoder =
            png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).unwrap()));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut buffer).unwrap();
        let size = frame.color_type.samples();
        assert_eq!((frame.width, frame.height), (1280, 900));
        buffer[..frame.buffer_size()]
            .chunks(size)
            .map(|pixel| [pixel[0], pixel[1], pixel[2]])
            .collect()
    }
}
