//! Diffs as tools and language models write them: what is accepted, what is noted, what is refused.

mod support;

use braid_variants::{MemTree, apply};
use support::{content, notes, one, patch_file, refusal, text};

const OLD: &str = "one\ntwo\nthree\n\nfour\nfive\nsix\n";

/// Applies a diff body to `OLD` under the usual header and expects `new` and the notes.
fn check(body: &str, new: &str, expected_notes: &str) {
    let diff = format!("--- a/F.java\n+++ b/F.java\n{body}");
    let applied =
        patch_file("F.java", OLD.as_bytes(), &diff).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text(&applied, "F.java"), new);
    assert_eq!(notes(&applied), expected_notes);
}

/// Applies a diff to `OLD` and expects an error.
fn fails(body: &str, expected: &str) {
    let diff = format!("--- a/F.java\n+++ b/F.java\n{body}");
    let error = patch_file("F.java", OLD.as_bytes(), &diff).expect_err("expected an error");
    assert_eq!(error.to_string(), expected);
}

const CHANGED: &str = "one\ntwo\n3\n\nfour\nfive\nsix\n";

#[test]
fn a_right_diff_applies_without_notes() {
    check("@@ -2,3 +2,3 @@\n two\n-three\n+3\n \n", CHANGED, "");
    check("@@ -3 +3 @@\n-three\n+3\n", CHANGED, "");
}

#[test]
fn blank_context_lines_may_lack_their_space() {
    check("@@ -2,4 +2,4 @@\n two\n-three\n+3\n\n four\n", CHANGED, "");
}

#[test]
fn wrong_counts_are_corrected_and_noted() {
    let body = "two\n-three\n+3\n \n four\n";
    for (header, note) in [
        ("@@ -2,9 +2,9 @@", "hunk counts 9,9 corrected to 4,4"),
        ("@@ -2,3 +2,3 @@", "hunk counts 3,3 corrected to 4,4"),
        ("@@ -2,4 +2,5 @@", "hunk counts 4,5 corrected to 4,4"),
    ] {
        check(
            &format!("{header}\n {body}"),
            CHANGED,
            &format!("line 3 of the patch: {note}\n"),
        );
    }
}

#[test]
fn hunk_headers_may_lack_numbers() {
    for header in ["@@ @@", "@@", "@@ ... @@", "@@ class F {"] {
        check(
            &format!("{header}\n two\n-three\n+3\n"),
            CHANGED,
            "line 3 of the patch: hunk header without line numbers\n",
        );
    }
    check(
        " two\n-three\n+3\n",
        CHANGED,
        "line 3 of the patch: hunk without a header\n",
    );
}

#[test]
fn a_hunk_without_numbers_must_fit_only_once() {
    let old = "x\na\nx\nb\nx\n";
    let diff = "--- a/F\n+++ b/F\n@@ @@\n-x\n+y\n";
    let error = patch_file("F", old.as_bytes(), diff)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "F: hunk 1 (line 3 of the diff) fits equally well at lines 1, 3, 5; give more context"
    );
}

#[test]
fn made_up_numbers_are_trusted_only_where_they_are_right() {
    let old = "int x;\na\nint x;\nb\nint x;\n";
    let diff =
        |line: usize| format!("--- a/F\n+++ b/F\n@@ -{line},7 +{line},7 @@\n-int x;\n+int y;\n\n");
    let diff = |line| diff(line) + "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    let tree = MemTree::new([("F", old), ("x", "")]).unwrap();
    let applied = apply(&one("p.diff", diff(3)), &tree).unwrap();
    assert_eq!(text(&applied, "F"), "int x;\na\nint y;\nb\nint x;\n");
    let error = apply(&one("p.diff", diff(2)), &tree)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("fits equally well at lines 1, 3, 5"),
        "{error}"
    );
}

#[test]
fn offset_and_fuzz_are_noted() {
    check(
        "@@ -5,2 +5,2 @@\n two\n-three\n+3\n",
        CHANGED,
        "F.java: hunk 1 applied at line 2, offset -3\n",
    );
    check(
        "@@ -1,5 +1,5 @@\n ONE\n two\n-three\n+3\n \n four\n",
        CHANGED,
        "F.java: hunk 1 applied at line 1, fuzz 1\n",
    );
}

#[test]
fn fuzz_never_ignores_all_context() {
    fails(
        "@@ -1,2 +1,3 @@\n ONE\n+x\n TWO\n",
        "F.java: hunk 1 (line 3 of the diff) does not apply: none of its old lines is in the file; \
         the first is \"ONE\"",
    );
}

#[test]
fn equally_good_fuzzy_places_are_refused() {
    // Without the outer context lines, both blocks fit.
    let block = |name: &str| format!("{name} {{\n  int x = 1;\n  use(x);\n}}\n");
    let old = format!("{}{}", block("f"), block("g"));
    let diff =
        "--- a/F\n+++ b/F\n@@ -3,4 +3,4 @@\n h {\n-  int x = 1;\n+  int x = 2;\n   use(x);\n }\n";
    let error = patch_file("F", old.as_bytes(), diff)
        .unwrap_err()
        .to_string();
    assert!(error.contains("fits equally well at lines 1, 5"), "{error}");
}

#[test]
fn a_hunk_that_does_not_fit_says_what_differs() {
    fails(
        "@@ -2,3 +2,3 @@\n two\n-tree\n+3\n \n",
        "F.java: hunk 1 (line 3 of the diff) does not apply: closest is line 2 with 2 of 3 lines, \
         but line 3 should be \"tree\" and is \"three\"",
    );
    fails(
        "@@ -2,3 +2,3 @@\n one\n-TWO\n+two\n three\n",
        "F.java: hunk 1 (line 3 of the diff) does not apply: closest is line 1 with 2 of 3 lines, \
         but line 2 should be \"TWO\" and is \"two\"",
    );
    fails(
        "@@ -1,3 +1,3 @@\n one\n-zwei\n+two\n three\n",
        "F.java: hunk 1 (line 3 of the diff) does not apply: the file already has the new lines \
         there; the patch seems to be applied already",
    );
}

#[test]
fn hunks_may_be_out_of_order_if_their_place_is_certain() {
    check(
        "@@ -5,2 +5,2 @@\n four\n-five\n+5\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n",
        "1\ntwo\nthree\n\nfour\n5\nsix\n",
        "",
    );
}

#[test]
fn space_at_line_ends_is_compared_last() {
    let old = "one  \ntwo\nthree\n";
    let diff = "--- a/F\n+++ b/F\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let applied = patch_file("F", old.as_bytes(), diff).unwrap();
    assert_eq!(text(&applied, "F"), "one  \n2\nthree\n");
}

#[test]
fn line_endings_of_the_file_are_kept() {
    let crlf = OLD.replace('\n', "\r\n");
    let body = "--- a/F\n+++ b/F\n@@ -2,3 +2,4 @@\n two\n-three\n+3\n+3b\n \n";
    let changed = CHANGED.replace("3\n", "3\n3b\n");
    // LF diff on a CR LF file, CR LF diff on an LF file, CR LF on CR LF in both ways.
    let mangled = body.replace('\n', "\r\n");
    let raw = body
        .replace('\n', "\r\n")
        .replace("F\r\n", "F\n")
        .replace("@@\r\n", "@@\n");
    for (diff, noted) in [
        (body, true),
        (mangled.as_str(), true),
        (raw.as_str(), false),
    ] {
        let applied = patch_file("F", crlf.as_bytes(), diff).unwrap();
        assert_eq!(text(&applied, "F"), changed.replace('\n', "\r\n"));
        assert_eq!(notes(&applied).contains("line endings"), noted);
    }
    for diff in [mangled.as_str(), raw.as_str()] {
        let applied = patch_file("F", OLD.as_bytes(), diff).unwrap();
        assert_eq!(text(&applied, "F"), changed);
    }
}

#[test]
fn a_diff_may_change_line_endings() {
    let diff = "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n";
    let applied = patch_file("F", b"a\r\nb\r\n", diff).unwrap();
    assert_eq!(text(&applied, "F"), "a\nb\n");
}

#[test]
fn the_newline_at_the_end_comes_and_goes() {
    let add = "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n";
    assert_eq!(text(&patch_file("F", b"a\nb", add).unwrap(), "F"), "a\nb\n");
    let remove = "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n";
    assert_eq!(
        text(&patch_file("F", b"a\nb\n", remove).unwrap(), "F"),
        "a\nc"
    );
    // The diff does not know that the file has no newline at its end: it stays so.
    let ignorant = "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    assert_eq!(
        text(&patch_file("F", b"a\nb", ignorant).unwrap(), "F"),
        "a\nc"
    );
    let append = "--- a/F\n+++ b/F\n@@ -1,2 +1,3 @@\n a\n b\n+c\n";
    assert_eq!(
        text(&patch_file("F", b"a\nb", append).unwrap(), "F"),
        "a\nb\nc"
    );
}

#[test]
fn bytes_that_are_not_utf8_stay() {
    let mut diff = b"--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n \xe4\n-b\n+\xfc\n".to_vec();
    let tree = MemTree::new([("F", b"\xe4\nb\n\xdf\n".to_vec())]).unwrap();
    let applied = apply(&one("p.diff", diff.clone()), &tree).unwrap();
    assert_eq!(content(&applied, "F").unwrap(), b"\xe4\n\xfc\n\xdf\n");
    assert!(applied.diff.contains("+ü"), "{}", applied.diff);
    // The same diff in UTF-8 is converted.
    diff = "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n ä\n-b\n+ü\n".into();
    let applied = apply(&one("p.diff", diff), &tree).unwrap();
    assert_eq!(content(&applied, "F").unwrap(), b"\xe4\n\xfc\n\xdf\n");
    assert_eq!(
        notes(&applied),
        "F: the patch's text was converted to windows-1252\n"
    );
    let error = apply(
        &one("p.diff", "--- a/F\n+++ b/F\n@@ -2 +2 @@\n-b\n+日\n"),
        &tree,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "F: the file is in windows-1252, which has no '日'"
    );
}

#[test]
fn paths_are_found_with_and_without_prefixes() {
    let tree = MemTree::new([("src/main/F.java", "a\n"), ("core/src/G.java", "a\n")]).unwrap();
    let find = |old: &str, new: &str| {
        let diff = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
        apply(&one("p.diff", diff), &tree)
            .map(|applied| applied.files.keys().next().unwrap().to_string())
    };
    for (old, new) in [
        ("a/src/main/F.java", "b/src/main/F.java"),
        ("src/main/F.java", "src/main/F.java"),
        (
            "src/main/F.java\t2024-01-01 00:00:00",
            "src/main/F.java\t2024-01-01 00:00:01",
        ),
        (
            "repo/project/src/main/F.java",
            "repo/project/src/main/F.java",
        ),
        ("\"a/src/main/F.java\"", "\"b/src/main/F.java\""),
        ("src/main/F.java.orig", "src/main/F.java"),
        ("i/src/main/F.java", "w/src/main/F.java"),
        ("src\\main\\F.java", "src\\main\\F.java"),
    ] {
        assert_eq!(find(old, new).unwrap(), "src/main/F.java", "{old} {new}");
    }
    assert_eq!(
        find("a/src/G.java", "b/src/G.java").unwrap(),
        "core/src/G.java"
    );
    let error = find("a/src/test/F.java", "b/src/test/F.java")
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "src/test/F.java: no such file in the project (did you mean src/main/F.java?)"
    );
}

#[test]
fn paths_that_leave_the_project_are_refused() {
    let tree = MemTree::new([("F", "a\n")]).unwrap();
    for (path, why) in [
        ("/etc/passwd", "absolute"),
        ("../F", "`..`"),
        ("a/../../F", "`..`"),
        ("a/x/../../../F", "`..`"),
        ("C:\\F", "drive letter"),
        ("a/.git/config", "`.git`"),
        ("\"a/x\\0001\"", "control character"),
    ] {
        for diff in [
            format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n"),
            format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+b\n"),
            format!("diff --git a/F b/F\nrename from F\nrename to {path}\n"),
        ] {
            let error = apply(&one("p.diff", diff), &tree).unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
        }
    }
}

#[test]
fn files_are_created_deleted_renamed_and_copied() {
    let tree = MemTree::new([("A", "1\n2\n3\n4\n5\n6\n"), ("B", "x\n")]).unwrap();
    let run = |diff: &str| apply(&one("p.diff", diff), &tree);
    let applied = run(
        "diff --git a/C b/C\nnew file mode 100644\n--- /dev/null\n+++ b/C\n@@ -0,0 +1 @@\n+c\n",
    )
    .unwrap();
    assert_eq!(text(&applied, "C"), "c\n");
    let applied =
        run("diff --git a/E b/E\nnew file mode 100644\nindex 0000000..e69de29\n").unwrap();
    assert_eq!(text(&applied, "E"), "");
    let applied = run(
        "diff --git a/B b/B\ndeleted file mode 100644\n--- a/B\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
    )
    .unwrap();
    assert_eq!(content(&applied, "B"), None);
    let rename = "diff --git a/A b/D\nsimilarity index 80%\nrename from A\nrename to D\n--- a/A\n+++ b/D\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n";
    let applied = run(rename).unwrap();
    assert_eq!(content(&applied, "A"), None);
    assert_eq!(text(&applied, "D"), "one\n2\n3\n4\n5\n6\n");
    let applied =
        run("diff --git a/A b/D\nsimilarity index 100%\ncopy from A\ncopy to D\n").unwrap();
    assert_eq!(applied.files.len(), 1);
    assert_eq!(text(&applied, "D"), "1\n2\n3\n4\n5\n6\n");
    let applied = run("diff --git a/A b/A\nold mode 100644\nnew mode 100755\n").unwrap();
    assert_eq!(
        notes(&applied),
        "A: change of file mode left out\nthe patch changes nothing\n"
    );
    for (diff, expected) in [
        (
            "--- /dev/null\n+++ b/A\n@@ -0,0 +1 @@\n+c\n",
            "A: the patch creates this file, but it exists already",
        ),
        (
            "--- a/A\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
            "A: the diff deletes this file, but the file has more lines than the diff removes",
        ),
        (
            "diff --git a/A b/B\nrename from A\nrename to B\n",
            "B: the patch creates this file, but it exists already",
        ),
        (
            "diff --git a/Z b/Y\nrename from Z\nrename to Y\n",
            "Z: no such file in the project",
        ),
    ] {
        assert_eq!(run(diff).unwrap_err().to_string(), expected);
    }
}

#[test]
fn new_files_follow_the_files_that_exist() {
    let tree = MemTree::new([("src/A.java", "a\n")]).unwrap();
    let diff = "--- /dev/null\n+++ b/project/src/B.java\n@@ -0,0 +1 @@\n+b\n--- a/project/src/A.java\n+++ b/project/src/A.java\n@@ -1 +1 @@\n-a\n+c\n";
    let applied = apply(&one("p.diff", diff), &tree).unwrap();
    assert_eq!(text(&applied, "src/B.java"), "b\n");
    assert_eq!(text(&applied, "src/A.java"), "c\n");
}

#[test]
fn gnu_diff_marks_missing_files_by_the_epoch() {
    let tree = MemTree::new([("A", "a\n")]).unwrap();
    let epoch = "1970-01-01 00:00:00.000000000 +0000";
    let now = "2024-05-01 10:00:00.000000000 +0000";
    let create = format!("--- old/B\t{epoch}\n+++ new/B\t{now}\n@@ -0,0 +1 @@\n+b\n");
    assert_eq!(
        text(&apply(&one("p.diff", create), &tree).unwrap(), "new/B"),
        "b\n"
    );
    let delete = format!("--- old/A\t{now}\n+++ new/A\t{epoch}\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(
        content(&apply(&one("p.diff", delete), &tree).unwrap(), "A"),
        None
    );
}

#[test]
fn utf16_diffs_are_read() {
    let diff = "--- a/F\n+++ b/F\n@@ -1 +1 @@\n-a\n+ä\n";
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(diff.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let tree = MemTree::new([("F", "a\n")]).unwrap();
    assert_eq!(
        text(&apply(&one("p.diff", utf16), &tree).unwrap(), "F"),
        "ä\n"
    );
}

#[test]
fn what_cannot_be_applied_is_refused_by_name() {
    for (diff, expected) in [
        (
            "",
            "p.diff:1: the patch is empty; expected a diff, JSON or Java source",
        ),
        (
            "hello\nworld\n",
            "p.diff:1: not a patch in a known format: expected a unified or git diff, JSON, Java source or a class file, found \"hello\"",
        ),
        (
            "\u{0}\u{1}\u{2}",
            "p.diff:1: not a patch in a known format: expected a unified or git diff, JSON, Java source or a class file, found \"\\0\\u{1}\\u{2}\"",
        ),
        (
            "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
            "p.diff:1: unsupported: line 3 of the diff: binary change; only text files can be patched (leave the binary file out of the diff)",
        ),
        (
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\n",
            "p.diff:1: unsupported: line 3 of the diff: binary change; only text files can be patched (leave the binary file out of the diff)",
        ),
        (
            "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n",
            "p.diff:1: unsupported: line 1 of the diff: combined diff of a merge; make a diff against one parent with `git diff PARENT`",
        ),
        (
            "*** a\t2024\n--- b\t2024\n***************\n*** 1 ****\n",
            "p.diff:1: unsupported: line 1 of the diff: context diff; make a unified diff with `diff -u`",
        ),
        (
            "1c1\n< a\n---\n> b\n",
            "p.diff:1: unsupported: diff without context; make a unified diff with `diff -u`",
        ),
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
            "p.diff:1: unsupported: line 2 of the diff: a symbolic link; only regular files can be patched",
        ),
        (
            "@@ -1 +1 @@\n-a\n+b\n",
            "p.diff:1: line 1 of the diff: hunk without a file header; expected `--- path` and `+++ path` before it",
        ),
        (
            "--- a/F\n+++ b/F\n",
            "p.diff:1: line 3 of the diff: expected a hunk `@@ -… +… @@` after the header at line 1, found the end of the diff",
        ),
        (
            "diff --git a/F b/F\nindex 1..2\n",
            "p.diff:1: line 3 of the diff: expected `--- path` after the header at line 1, found the end of the diff",
        ),
        (
            "--- a/F\n+++ b/F\n@@ -1,3 +1,3 @@\n a\n-b\n",
            "p.diff:1: line 5 of the diff: the diff ends inside a hunk: its header at line 3 announces 3 old and 3 new lines, found 2 and 1; the input was probably truncated (if not, correct the counts)",
        ),
        (
            "--- a/F\n+++ b/F\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d",
            "p.diff",
        ),
        (
            "--- a/F\n+++ b/F\n@@ -1,9 +1,9 @@\n a\n-b\nint x;\n+c\n d\n",
            "p.diff:1: line 6 of the diff: expected a line that starts with a space, `+`, `-` or `\\`, found \"int x;\"",
        ),
        (
            "--- a/F\n+++ b/F\n@@ -1,2 +1,2 @@\n a\n b\n@@ -5 @@\n",
            "p.diff:1: line 6 of the diff: expected a hunk with lines that start with `+` or `-`, found none",
        ),
        (
            "--- \"a/F\n+++ \"b/F\n@@ -1 +1 @@\n-a\n+b\n",
            "p.diff:1: line 1 of the diff: the quoted path is not closed or has a bad escape",
        ),
    ] {
        if expected == "p.diff" {
            // Complete but for the last newline.
            assert_eq!(one("p.diff", diff).id.0, "p");
        } else {
            assert_eq!(refusal("p.diff", diff), expected, "{diff}");
        }
    }
}

#[test]
fn a_diff_cut_anywhere_is_never_applied_in_part() {
    let whole = "--- a/F.java\n+++ b/F.java\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -5,3 +5,3 @@\n four\n-five\n+5\n six\n";
    let full = "one\n2\nthree\n\nfour\n5\nsix\n";
    let first = "one\n2\nthree\n\nfour\nfive\nsix\n";
    for len in 0..whole.len() {
        let Some(Ok(patch)) = support::read_bytes("p.diff", &whole.as_bytes()[..len]).pop() else {
            continue;
        };
        let tree = MemTree::new([("F.java", OLD)]).unwrap();
        let Ok(applied) = apply(&patch, &tree) else {
            continue;
        };
        let result = text(&applied, "F.java");
        // Cutting between two hunks leaves a whole diff; nothing can tell.
        let between = whole.find("@@ -5").unwrap();
        let allowed = result == full || (result == first && len <= between);
        assert!(allowed, "cut at {len}:\n{}\n{result}", &whole[..len]);
    }
}

#[test]
fn markdown_and_prose_around_a_diff_are_ignored() {
    let diff = "--- a/F.java\n+++ b/F.java\n@@ -2,3 +2,3 @@\n two\n-three\n+3\n \n";
    for answer in [
        format!("Here is the fix:\n\n```diff\n{diff}```\nIt helps.\n"),
        format!("```\n{diff}```"),
        format!("~~~patch\n{diff}~~~\n"),
        format!("I changed three to 3:\n\n{diff}\nThat is all.\n"),
        format!("```java\nint x;\n```\n```diff\n{diff}```\n- a point\n+ another\n"),
        format!("{diff}-- \n2.39.2\n\n"),
    ] {
        let applied = patch_file("F.java", OLD.as_bytes(), &answer).unwrap();
        assert_eq!(text(&applied, "F.java"), CHANGED, "{answer}");
    }
}

#[test]
fn fuzz_can_be_forbidden() {
    let diff = "--- a/F\n+++ b/F\n@@ -1,4 +1,4 @@\n X\n b\n-c\n+C\n d\n";
    let tree = MemTree::new([("F", "a\nb\nc\nd\n")]).unwrap();
    let patch = one("p.diff", diff);
    let with = |max_fuzz| {
        let options = braid_variants::ApplyOptions {
            max_fuzz,
            ..Default::default()
        };
        braid_variants::apply_with(&patch, &tree, &options)
    };
    assert!(with(0).is_err());
    assert_eq!(text(&with(1).unwrap(), "F"), "a\nb\nC\nd\n");
}

#[test]
fn canonical_diffs_apply_again() {
    let diff = "--- a/F.java\n+++ b/F.java\n@@ -2,3 +2,3 @@\n two\n-three\n+3\n \n";
    let applied = patch_file("F.java", OLD.as_bytes(), diff).unwrap();
    let again = patch_file("F.java", OLD.as_bytes(), &applied.diff).unwrap();
    assert_eq!(applied.files, again.files);
    assert_eq!(applied.diff, again.diff);
}
