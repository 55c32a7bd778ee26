//! Every strategy gives every patch the plain strategy's verdict.

mod common;

use std::collections::BTreeMap;

use common::Project;
use serde_json::{Value, json};

/// A program with code of every shape and static state of every kind, and patches of both.
fn strands() -> Project {
    let project = Project::plain(&[
        (
            "src/main/java/strands/Shapes.java",
            include_str!("strands/main/Shapes.java"),
        ),
        (
            "src/main/java/strands/State.java",
            include_str!("strands/main/State.java"),
        ),
        (
            "src/test/java/strands/ShapesTest.java",
            include_str!("strands/test/ShapesTest.java"),
        ),
        (
            "src/test/java/strands/StateTest.java",
            include_str!("strands/test/StateTest.java"),
        ),
    ]);
    let patches: Vec<Value> = include_str!("strands/patches.jsonl")
        .lines()
        .map(|line| {
            let patch: Value = serde_json::from_str(line).unwrap();
            let path = format!(
                "src/main/java/strands/{}.java",
                patch["file"].as_str().unwrap()
            );
            json!({"id": patch["id"], "search_replace": [
                {"path": path, "search": patch["search"], "replace": patch["replace"]}
            ]})
        })
        .collect();
    project.write_patches("p.jsonl", &patches);
    project
}

/// Verdict and first failing test of each patch, and how many the strategy decided by itself.
fn judged(
    project: &Project,
    run: u32,
    strategy: &str,
) -> (BTreeMap<String, (String, String)>, usize) {
    project
        .braid(&[
            "validate",
            "p.jsonl",
            "--strategy",
            strategy,
            "--no-cache",
            "--timeout",
            "10x+3s",
        ])
        .expect(0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let verdicts = project.verdicts(run);
    let own = verdicts
        .iter()
        .filter(|verdict| verdict["decided"]["strategy"] == strategy)
        .count();
    let judged = verdicts.iter().map(|verdict| {
        let evidence = &verdict["evidence"];
        let failing = text(&evidence["failures"][0]["test"]);
        (text(&verdict["id"]), (text(&verdict["verdict"]), failing))
    });
    (judged.collect(), own)
}

#[test]
fn warm_strategies_give_the_verdicts_of_the_plain_one() {
    let project = strands();
    let (plain, _) = judged(&project, 1, "plain");
    for kind in [
        "plausible",
        "test_fail",
        "compile_error",
        "timeout",
        "crash",
    ] {
        assert!(
            plain.values().any(|(verdict, _)| verdict == kind),
            "{kind} in {plain:#?}"
        );
    }
    for (run, strategy) in [(2, "woven"), (3, "hotswap")] {
        let (warm, own) = judged(&project, run, strategy);
        let differ: Vec<_> = plain
            .iter()
            .filter(|(id, verdict)| warm.get(*id) != Some(verdict))
            .map(|(id, verdict)| format!("{id}: plain {verdict:?}, {strategy} {:?}", warm.get(id)))
            .collect();
        assert!(differ.is_empty(), "{}", differ.join("\n"));
        assert!(
            own * 2 > plain.len(),
            "{strategy} decided only {own} of {}",
            plain.len()
        );
    }
}
