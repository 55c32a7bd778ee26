//! The JSON forms: what they mean and how mistakes in them are told.

mod support;

use braid_variants::{Applied, ApplyError, MemTree, ReadOptions, apply};
use support::{content, notes, one, read_bytes, refusal, text};

const SOURCE: &str = "class A {\n    int a() {\n        return 1;\n    }\n    int b() {\n        return 1;\n    }\n}\n";

fn tree() -> MemTree {
    MemTree::new([
        ("src/A.java", SOURCE),
        ("src/Crlf.java", "one\r\ntwo\r\nthree\r\n"),
    ])
    .unwrap()
}

fn run(json: &str) -> Result<Applied, ApplyError> {
    apply(&one("p.json", json), &tree())
}

fn error(json: &str) -> String {
    run(json).unwrap_err().to_string()
}

#[test]
fn search_replace_finds_one_place() {
    let search =
        |fields: &str| format!(r#"{{"search_replace": [{{"path": "src/A.java", {fields}}}]}}"#);
    let applied = run(&search(r#""search": "int a()", "replace": "int c()""#)).unwrap();
    assert!(text(&applied, "src/A.java").contains("int c() {"));
    assert_eq!(
        error(&search(r#""search": "return 1;", "replace": "x""#)),
        "src/A.java: the text to search (\"return 1;\") is at lines 3, 6; lengthen it or give `occurrence`"
    );
    let applied = run(&search(
        r#""search": "return 1;", "replace": "return 2;", "occurrence": 2"#,
    ))
    .unwrap();
    assert!(text(&applied, "src/A.java").ends_with("int b() {\n        return 2;\n    }\n}\n"));
    let applied = run(&search(
        r#""search": "return 1;", "replace": "return 2;", "occurrence": "all""#,
    ))
    .unwrap();
    assert_eq!(
        text(&applied, "src/A.java"),
        SOURCE.replace("return 1", "return 2")
    );
    assert_eq!(
        error(&search(
            r#""search": "return 1;", "replace": "x", "occurrence": 3"#
        )),
        "src/A.java: occurrence 3 of \"return 1;\" is wanted, but the file has 2"
    );
    assert_eq!(
        error(&search(
            r#""search": "    int a() {\n        return 2;", "replace": "x""#
        )),
        "src/A.java: the text to search (\"int a() {\") is not in the file; it begins at line 2, \
         but line 3 should be \"return 2;\" and is \"return 1;\""
    );
}

#[test]
fn search_ignores_space_at_line_ends_only_if_it_must() {
    let json = r#"{"search_replace": [{"path": "src/A.java", "search": "int a() {  \n        return 1;\t\n", "replace": "int a() {\n        return 7;\n"}]}"#;
    let applied = run(json).unwrap();
    assert_eq!(
        text(&applied, "src/A.java"),
        SOURCE.replacen("return 1", "return 7", 1)
    );
    assert_eq!(
        notes(&applied),
        "src/A.java:2: matched without regard to space at line ends\n"
    );
}

#[test]
fn texts_take_the_line_endings_of_the_file() {
    let json = r#"{"search_replace": [{"path": "src/Crlf.java", "search": "one\ntwo\n", "replace": "1\n2\n2b\n"}]}"#;
    let applied = run(json).unwrap();
    assert_eq!(text(&applied, "src/Crlf.java"), "1\r\n2\r\n2b\r\nthree\r\n");
    let json = r#"{"files": {"src/Crlf.java": "a\nb\n"}}"#;
    assert_eq!(text(&run(json).unwrap(), "src/Crlf.java"), "a\r\nb\r\n");
    let json =
        r#"{"edits": [{"path": "src/Crlf.java", "start": {"line": 2, "col": 1}, "text": "x\n"}]}"#;
    assert_eq!(
        text(&run(json).unwrap(), "src/Crlf.java"),
        "one\r\nx\r\ntwo\r\nthree\r\n"
    );
}

#[test]
fn replacements_build_on_each_other_and_create_files() {
    let json = r#"{"search_replace": [
        {"path": "src/A.java", "search": "int a()", "replace": "int c()"},
        {"path": "src/A.java", "search": "int c()", "replace": "int d()"},
        {"path": "src/New.java", "search": "", "replace": "class New {}\n"}]}"#;
    let applied = run(json).unwrap();
    assert!(text(&applied, "src/A.java").contains("int d()"));
    assert_eq!(text(&applied, "src/New.java"), "class New {}\n");
    let json = r#"{"search_replace": [{"path": "src/A.java", "search": "", "replace": "x"}]}"#;
    assert!(error(json).contains("the file exists"));
}

#[test]
fn files_are_written_and_deleted() {
    let applied = run(r#"{"files": {"src/A.java": null, "src/B.java": "class B {}"}}"#).unwrap();
    assert_eq!(content(&applied, "src/A.java"), None);
    assert_eq!(text(&applied, "src/B.java"), "class B {}");
    assert_eq!(
        error(r#"{"files": {"src/C.java": null}}"#),
        "src/C.java: no such file in the project"
    );
}

#[test]
fn edits_speak_of_the_original_and_must_not_overlap() {
    let edits = |list: &str| format!(r#"{{"edits": [{list}]}}"#);
    let edit = |start: &str, end: &str, text: &str| {
        format!(r#"{{"path": "src/A.java", "start": {start}, "end": {end}, "text": "{text}"}}"#)
    };
    // Given back to front, and with two insertions at one place.
    let json = edits(
        &[
            edit(
                r#"{"line": 6, "col": 16}"#,
                r#"{"line": 6, "col": 17}"#,
                "3",
            ),
            edit(
                r#"{"line": 3, "col": 16}"#,
                r#"{"line": 3, "col": 17}"#,
                "2",
            ),
            edit("0", "0", "// x\\n"),
            edit("0", "0", "// y\\n"),
        ]
        .join(","),
    );
    let applied = run(&json).unwrap();
    let expected = SOURCE
        .replacen("return 1", "return 2", 1)
        .replacen("return 1", "return 3", 1);
    assert_eq!(
        text(&applied, "src/A.java"),
        format!("// x\n// y\n{expected}")
    );
    for (start, end, expected) in [
        (
            r#"{"line": 99, "col": 1}"#,
            "99",
            "src/A.java: line 99 is not in the file (8 lines)",
        ),
        (
            r#"{"line": 1, "col": 99}"#,
            "99",
            "src/A.java: line 1 has no column 99",
        ),
        (
            r#"{"line": 0, "col": 1}"#,
            "99",
            "src/A.java: line 0 is not in the file (8 lines)",
        ),
        (
            r#"{"line": 1, "col": 0}"#,
            "99",
            "src/A.java: line 1 has no column 0",
        ),
        (
            "9999",
            "9999",
            "src/A.java: offset 9999 is beyond the end of the file (88 bytes)",
        ),
        (
            "5",
            "4",
            "src/A.java: the edit's end (4) is before its start (5)",
        ),
    ] {
        assert_eq!(error(&edits(&edit(start, end, "x"))), expected);
    }
    let json = edits(&[edit("0", "20", "x"), edit("15", "30", "y")].join(","));
    assert_eq!(
        error(&json),
        "src/A.java: the edits at lines 1 and 2 overlap"
    );
}

#[test]
fn columns_count_characters() {
    let tree = MemTree::new([("F", "äöü=1\n")]).unwrap();
    let json = r#"{"edits": [{"path": "F", "start": {"line": 1, "col": 5}, "end": {"line": 1, "column": 6}, "text": "2"}]}"#;
    assert_eq!(
        text(&apply(&one("p.json", json), &tree).unwrap(), "F"),
        "äöü=2\n"
    );
}

#[test]
fn ids_come_from_the_data_and_are_unique() {
    let data = r#"{"id": "a", "diff": "x"}
{"instance_id": "b", "model_patch": ""}
{"patch_id": 7, "diff": null}
{"diff": "x"}
{"id": "a", "diff": "x"}
{"org": "o", "repo": "r", "number": 3, "fix_patch": "x"}
not json
{"id": "z"}"#;
    let ids: Vec<String> = read_bytes("set.jsonl", data)
        .into_iter()
        .map(|patch| patch.map_or_else(|error| error.id.0, |patch| patch.id.0))
        .collect();
    assert_eq!(ids, ["a", "b", "7", "set#4", "a-2", "o__r-3", "set#7", "z"]);
}

#[test]
fn arrays_maps_and_wrappers_hold_the_same_patches() {
    let diff = "--- a/F\\n+++ b/F\\n@@ -1 +1 @@\\n-a\\n+b\\n";
    for (data, ids) in [
        (
            format!(r#"[{{"id": "x", "diff": "{diff}"}}, {{"id": "y", "diff": "{diff}"}}]"#),
            vec!["x", "y"],
        ),
        (
            format!(r#"{{"x": {{"model_patch": "{diff}"}}, "y": {{"model_patch": "{diff}"}}}}"#),
            vec!["x", "y"],
        ),
        (
            format!(r#"{{"x": "{diff}", "y": "{diff}"}}"#),
            vec!["x", "y"],
        ),
        (
            format!(r#"{{"patches": [{{"id": "x", "diff": "{diff}"}}, {{"diff": "{diff}"}}]}}"#),
            vec!["x", "set#2"],
        ),
        (
            format!("{{\n \"id\": \"x\",\n \"diff\": \"{diff}\"\n}}\n"),
            vec!["x"],
        ),
        ("[]".to_owned(), vec![]),
        (String::new(), vec![]),
    ] {
        let found: Vec<_> = read_bytes("set.json", data.clone())
            .into_iter()
            .map(|patch| patch.unwrap().id.0)
            .collect();
        assert_eq!(found, ids, "{data}");
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (data, expected) in [
        (
            "{\"id\": 1,}",
            "p.json:1: malformed JSON at line 1, column 10: trailing comma",
        ),
        (
            "{\n\"diff\": \"x\n",
            "p.json:1: malformed JSON at line 3, column 1: the file ends inside the object that begins at line 1; it was probably truncated",
        ),
        (
            "{\"x\": 1}",
            "p.json:1: expected one of the keys `diff`, `search_replace`, `method`, `files`, `edits`, `model_patch`, `fix_patch`, `patch` or ExpressAPR's `context_above`, `unpatched`, `context_below`, found only `x`",
        ),
        (
            "{\"diff\": \"x\", \"files\": {}}",
            "p.json:1: expected one kind of change, found `diff` and `files`",
        ),
        (
            "{\"diff\": 1}",
            "p.json:1: `diff`: expected a string with a diff, found a number",
        ),
        (
            "{\"diff\": \"garbage\"}",
            "p.json:1: line 1 of the diff: expected `--- path`, `+++ path` and `@@ … @@`, found none of them",
        ),
        (
            "{\"model_patch\": \"\"}",
            "p.json:1: the patch is empty; expected a diff, JSON or Java source",
        ),
        (
            "{\"search_replace\": {}}",
            "p.json:1: `search_replace`: expected an array of objects, found an object",
        ),
        (
            "{\"search_replace\": [{\"path\": \"x\", \"search\": \"y\"}]}",
            "p.json:1: the key `search_replace[0].replace` is missing; expected a string",
        ),
        (
            "{\"search_replace\": [{\"path\": \"x\", \"search\": \"y\", \"replace\": \"z\", \"occurrence\": 0}]}",
            "p.json:1: `search_replace[0].occurrence`: expected a number from 1 or \"all\", found a number",
        ),
        (
            "{\"method\": {\"class\": \"A\"}}",
            "p.json:1: the key `method[0].signature` is missing; expected a string",
        ),
        (
            "{\"files\": {\"../x\": \"\"}}",
            "p.json:1: \"../x\": the path contains `..`; patches may not leave the project",
        ),
        (
            "{\"files\": {\"x\": 1}}",
            "p.json:1: `files[\"x\"]`: expected a string or null, found a number",
        ),
        (
            "{\"files\": {\"x\": \"\", \"./x\": \"\"}}",
            "p.json:1: `files` names \"x\" twice",
        ),
        (
            "{\"edits\": [{\"path\": \"x\", \"text\": \"\"}]}",
            "p.json:1: `edits[0]` must have either `start` or `offset`",
        ),
        (
            "{\"edits\": [{\"path\": \"x\", \"start\": \"1\", \"text\": \"\"}]}",
            "p.json:1: `edits[0].start`: expected a byte offset or {line, col}, found a string",
        ),
        (
            "{\"context_above\": \"\", \"patches\": []}",
            "p.json:1: the key `filename` is missing; expected a string",
        ),
        (
            "{\"diff\": \"x\", \"failing\": 3}",
            "p.json:1: line 1 of the diff: expected `--- path`, `+++ path` and `@@ … @@`, found none of them",
        ),
        (
            "{\"files\": {\"a\": \"b\"}, \"failing\": 3}",
            "p.json:1: `failing`: expected an array of strings, found a number",
        ),
        (
            "[\"x\"]",
            "p.json:1: malformed JSON at line 1, column 1: expected an object that starts with `{`, found '\"'",
        ),
    ] {
        assert_eq!(refusal("p.json", data), expected, "{data}");
    }
}

#[test]
fn expressapr_regions_keep_what_surrounds_them() {
    let set = |above: &str, unpatched: &str, below: &str, patch: &str| {
        serde_json::json!({
            "manifest_version": 3, "interface": "maven", "bug": "x", "filename": "src/F.java",
            "context_above": above, "unpatched": unpatched, "context_below": below, "patches": [patch],
        })
        .to_string()
    };
    let run = |file: &[u8], json: String| {
        let tree = MemTree::new([("src/F.java", file)]).unwrap();
        apply(&one("set.json", json), &tree)
            .map(|applied| (content(&applied, "src/F.java").unwrap(), notes(&applied)))
    };
    let (result, notes) = run(b"int x = 1;\n", set("int x = ", "1", ";\n", "2")).unwrap();
    assert_eq!((&result[..], notes.as_str()), (&b"int x = 2;\n"[..], ""));
    // Read as text by the tool: CR LF became LF. Outside the range, bytes stay.
    let (result, _) = run(
        b"a\r\nint x = 1;\r\n",
        set("a\nint x = ", "1", ";\n", "2 +\n3"),
    )
    .unwrap();
    assert_eq!(result, b"a\r\nint x = 2 +\r\n3;\r\n");
    let (result, _) = run(
        b"// \xe4\nint x = 1;\n",
        set("// ä\nint x = ", "1", ";\n", "'ü'"),
    )
    .unwrap();
    assert_eq!(result, b"// \xe4\nint x = '\xfc';\n");
    // The file has changed elsewhere since.
    let file = "// new\n\n\n\n\nint w;\nint x = 1;\nint y;\n";
    let above = "// old\n\n\n\n\nint w;\nint x = ";
    let (result, notes) = run(file.as_bytes(), set(above, "1", ";\nint y;\n", "2")).unwrap();
    assert_eq!(
        String::from_utf8(result).unwrap(),
        file.replace("= 1", "= 2")
    );
    assert!(notes.contains("placed by the lines around"), "{notes}");
    let error = run(b"other\n", set("int x = ", "1", ";\n", "2"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "src/F.java: the file is not the one the patch was made for, and the range and the lines around it are not in it"
    );
}

#[test]
fn a_patch_over_the_limit_is_refused_and_reading_goes_on() {
    let data = format!(
        "{{\"id\": \"big\", \"diff\": \"{}\"}}\n{{\"id\": \"small\", \"files\": {{\"a\": \"\"}}}}\n",
        "x".repeat(2000)
    );
    let input = braid_variants::Input::Bytes {
        name: "p.jsonl".into(),
        data: data.into_bytes(),
    };
    let options = ReadOptions {
        max_patch_bytes: 1000,
        ..ReadOptions::default()
    };
    let all: Vec<_> = braid_variants::read(&[input], &options).collect();
    assert_eq!(
        all[0].as_ref().unwrap_err().to_string(),
        "p.jsonl:1: larger than 1000 bytes, the limit for one patch"
    );
    assert_eq!(all[1].as_ref().unwrap().id.0, "small");
}
