//! The report as one HTML file: the document of mutation-testing-elements and a small viewer, nothing from elsewhere.

use std::io::{self, Write};

use crate::mutate::{Mutants, elements};

const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = serde_json::to_string(&elements::document(mutants))?;
    // inside a script element only `</script` and `<!--` mean anything
    let document = document.replace('<', "\\u003c");
    let page = PAGE
        .replace("/* style */", STYLE)
        .replace("/* script */", SCRIPT);
    let Some((before, after)) = page.split_once("{/* data */}") else {
        return out.write_all(page.as_bytes());
    };
    out.write_all(before.as_bytes())?;
    out.write_all(document.as_bytes())?;
    out.write_all(after.as_bytes())
}
