//! The JSON against the schema that mutation-testing-elements publishes, by the validator that its own tools use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skip;

/// Pinned, so that the result does not depend on the day.
const PACKAGES: [&str; 3] = [
    "mutation-testing-report-schema@3.8.4",
    "ajv@8.17.1",
    "ajv-formats@3.0.1",
];

const VALIDATE: &str = r#"
const fs = require('fs');
const Ajv = require('ajv');
const read = (file) => JSON.parse(fs.readFileSync(file));
const schema = read('node_modules/mutation-testing-report-schema/src/mutation-testing-report-schema.json');
const ajv = new Ajv({ allErrors: true, strict: false });
require('ajv-formats')(ajv);
const validate = ajv.compile(schema);
const problems = (file) => (validate(read(file)) ? [] : validate.errors);
console.log(JSON.stringify([problems(process.argv[1]), problems(process.argv[2])]));
"#;

/// Insists that a report is valid, and that a broken one is not.
pub(crate) fn check(report: &Path) {
    const WHAT: &str = "the JSON report against the published schema";
    let folder = match packages() {
        Ok(folder) => folder,
        Err(why) => return skip(WHAT, &why),
    };
    let broken = report.with_file_name("broken.json");
    let text = fs::read_to_string(report).unwrap();
    fs::write(&broken, text.replace("\"Survived\"", "\"Lost\"")).unwrap();
    let output = Command::new("node")
        .args(["-e", VALIDATE])
        .args([report, &broken])
        .current_dir(&folder)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => return skip(WHAT, &format!("node cannot be started ({error})")),
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let problems: [Vec<serde_json::Value>; 2] = serde_json::from_slice(&output.stdout).unwrap();
    assert!(problems[0].is_empty(), "{:#?}", problems[0]);
    assert!(!problems[1].is_empty(), "a status that nobody knows passes");
}

/// A folder with the packages, fetched once; or why there is none.
fn packages() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elements-schema");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join(".lock")).unwrap();
    lock.lock().unwrap();
    let done = folder.join(".fetched");
    if fs::read_to_string(&done).is_ok_and(|text| text == PACKAGES.join(" ")) {
        return Ok(folder);
    }
    fs::write(folder.join("package.json"), "{\"private\": true}").unwrap();
    let output = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(PACKAGES)
        .current_dir(&folder)
        .output()
        .map_err(|error| format!("npm cannot be started ({error})"))?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("npm cannot get the schema: {error}"));
    }
    fs::write(&done, PACKAGES.join(" ")).unwrap();
    Ok(folder)
}
