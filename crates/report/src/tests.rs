//! Every format of one small run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use braid_engine::{
    BaselineReport, CrashReport, Decided, Evidence, FlakyPolicy, NamedReason, PatchOrigin,
    PatchRequest, ProjectRequest, RunInfo, RunState, SCHEMA_VERSION, Settings, Source,
    SourceDiagnostic, StrategyKind, Summary, Tally, TestCounts, TestFailure, TimeoutRule, Timings,
    Verdict, VerdictKind,
};
use expect_test::{Expect, expect};

use crate::{Each, Format, Run, Style, write_run};

fn verdict(seq: u64, id: &str, kind: VerdictKind, summary: &str) -> Verdict {
    Verdict {
        id: id.into(),
        seq,
        verdict: kind,
        summary: summary.into(),
        evidence: Evidence::default(),
        tests: TestCounts {
            planned: 2,
            run: 2,
            passed: 2,
            failed: 0,
            skipped: 0,
        },
        timings: Timings {
            apply_ms: 1,
            compile_ms: 900,
            test_ms: 600,
            total_ms: 1_501,
        },
        decided: Decided {
            strategy: StrategyKind::Plain,
            reason: "asked for".into(),
            source: Source::Run,
            same_as: None,
        },
        origin: PatchOrigin {
            file: "p.jsonl".into(),
            line: seq + 1,
            format: "JSON".into(),
        },
        files: vec!["src/main/java/a/B.java".into()],
        notes: Vec::new(),
        content: format!("{seq:064}"),
    }
}

fn sample() -> Vec<Verdict> {
    let good = verdict(
        0,
        "good",
        VerdictKind::Plausible,
        "2 tests pass, 1 of them failed before",
    );
    let mut same = verdict(1, "sa,me", VerdictKind::Plausible, &good.summary);
    same.decided.source = Source::Duplicate;
    same.decided.same_as = Some("good".into());
    let mut fails = verdict(
        2,
        "fails",
        VerdictKind::TestFail,
        "BTest#x: expected <1> & \"2\"",
    );
    fails.evidence.failures.push(TestFailure {
        test: "a.BTest#x".into(),
        failed_before: true,
        assertion: true,
        exception: "E".into(),
        message: Some("expected <1>\n100%".into()),
        trace: "E: expected <1>\n\tat a.BTest.x(BTest.java:7)".into(),
    });
    let mut broken = verdict(
        3,
        "broken",
        VerdictKind::CompileError,
        "src/B.java:3: ';' expected",
    );
    broken.evidence.diagnostics.push(SourceDiagnostic {
        file: "src/B.java".into(),
        line: 3,
        column: 9,
        message: "';' expected".into(),
        code: "compiler.err.expected".into(),
    });
    let mut crash = verdict(4, "crash", VerdictKind::Crash, "System.exit(3) in BTest#x");
    crash.evidence.crash = Some(CrashReport {
        test: Some("a.BTest#x".into()),
        cause: "System.exit(3)".into(),
        exit_code: Some(3),
        detail: "at a.B.m(B.java:3)".into(),
    });
    let mut refused = verdict(
        5,
        "refused",
        VerdictKind::Unsupported,
        "changes the build (pom.xml)",
    );
    refused.files.clear();
    refused.evidence.refusal = Some("changes the build (pom.xml)".into());
    vec![good, same, fails, broken, crash, refused]
}

fn check(format: Format, expected: Expect) {
    let verdicts = sample();
    let mut tally = Tally {
        verdicts: BTreeMap::new(),
        from_store: 0,
        duplicates: 0,
    };
    verdicts.iter().for_each(|verdict| tally.add(verdict));
    let info = RunInfo {
        schema_version: SCHEMA_VERSION,
        braid_version: "0.0.0".into(),
        started_unix_s: 0,
        root: PathBuf::from("/p"),
        kind: "Maven".into(),
        jdk: "17".into(),
        project: ProjectRequest::default(),
        patches: PatchRequest::default(),
        settings: Settings {
            jobs: 2,
            heap_mb: 1024,
            timeout: TimeoutRule::DEFAULT,
            flaky: FlakyPolicy::Skip,
            strategy: StrategyKind::Plain,
            without: Vec::new(),
            full: false,
            allow_test_edits: false,
            failing: Vec::new(),
            only_tests: Vec::new(),
        },
        fingerprint: "f".into(),
        total: 7,
    };
    let failing = NamedReason {
        name: "a.BTest#x".into(),
        reason: "E".into(),
    };
    let summary = Summary {
        run: 4,
        dir: PathBuf::from("/p/.braid/runs/4"),
        state: RunState::Interrupted,
        total: 7,
        tally,
        baseline: BaselineReport {
            units: 2,
            passed: 1,
            failing: vec![failing],
            elapsed_ms: 700,
            ..BaselineReport::default()
        },
        elapsed_ms: 12_345,
    };
    let each = |each: &mut Each<'_>| {
        verdicts
            .iter()
            .try_for_each(|verdict| each(verdict).map_err(braid_engine::EngineError::Output))
    };
    let run = Run {
        info: &info,
        summary: &summary,
        verdicts: &each,
    };
    let mut out = Vec::new();
    write_run(format, &run, &Style::PLAIN, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    if matches!(format, Format::Json | Format::Sarif) {
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn table() {
    check(
        Format::Table,
        expect![[r#"
        verdict        patch        time  why
        plausible      good        1.5 s  2 tests pass, 1 of them failed before
        plausible      sa,me        same  as good: 2 tests pass, 1 of them failed before
        test_fail      fails       1.5 s  BTest#x: expected <1> & "2"
        compile_error  broken      1.5 s  src/B.java:3: ';' expected
        crash          crash       1.5 s  System.exit(3) in BTest#x
        unsupported    refused     1.5 s  changes the build (pom.xml)

        unpatched program: 2 test methods (2 results), 1 failing
        7 patches: 2 plausible, 1 test_fail, 1 compile_error, 1 crash, 1 unsupported
        1 the same as another patch, 12.3 s
        stopped early: 1 not judged; go on with --resume 4
        run 4 in /p/.braid/runs/4
    "#]],
    );
}

#[test]
fn json_is_one_object() {
    check(
        Format::Json,
        expect![[r#"
            {
              "schema_version": 1,
              "run": 4,
              "dir": "/p/.braid/runs/4",
              "state": "interrupted",
              "total": 7,
              "verdicts": {
                "plausible": 2,
                "test_fail": 1,
                "compile_error": 1,
                "crash": 1,
                "unsupported": 1
              },
              "from_store": 0,
              "duplicates": 1,
              "baseline": {
                "units": 2,
                "passed": 1,
                "skipped": 0,
                "failing": [
                  {
                    "name": "a.BTest#x",
                    "reason": "E"
                  }
                ],
                "flaky": [],
                "problems": [],
                "elapsed_ms": 700,
                "from_store": false
              },
              "elapsed_ms": 12345,
              "request": {
                "schema_version": 1,
                "braid_version": "0.0.0",
                "started_unix_s": 0,
                "root": "/p",
                "kind": "Maven",
                "jdk": "17",
                "project": {
                  "dir": "",
                  "jdk": null,
                  "java": null,
                  "profile": null,
                  "config": null,
                  "sources": [],
                  "tests": [],
                  "classpath": [],
                  "modules": [],
                  "no_build": false,
                  "offline": false
                },
                "patches": {
                  "inputs": [],
                  "only": [],
                  "limit": null
                },
                "settings": {
                  "jobs": 2,
                  "heap_mb": 1024,
                  "timeout": {
                    "factor": 10.0,
                    "constant_ms": 5000
                  },
                  "flaky": "skip",
                  "strategy": "plain",
                  "without": [],
                  "full": false,
                  "allow_test_edits": false,
                  "failing": [],
                  "only_tests": []
                },
                "fingerprint": "f",
                "total": 7
              },
              "patches": [
                {"id":"good","seq":0,"verdict":"plausible","summary":"2 tests pass, 1 of them failed before","evidence":{},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":1,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000000"},
                {"id":"sa,me","seq":1,"verdict":"plausible","summary":"2 tests pass, 1 of them failed before","evidence":{},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"duplicate","same_as":"good"},"origin":{"file":"p.jsonl","line":2,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000001"},
                {"id":"fails","seq":2,"verdict":"test_fail","summary":"BTest#x: expected <1> & \"2\"","evidence":{"failures":[{"test":"a.BTest#x","failed_before":true,"assertion":true,"exception":"E","message":"expected <1>\n100%","trace":"E: expected <1>\n\tat a.BTest.x(BTest.java:7)"}]},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":3,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000002"},
                {"id":"broken","seq":3,"verdict":"compile_error","summary":"src/B.java:3: ';' expected","evidence":{"diagnostics":[{"file":"src/B.java","line":3,"column":9,"message":"';' expected","code":"compiler.err.expected"}]},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":4,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000003"},
                {"id":"crash","seq":4,"verdict":"crash","summary":"System.exit(3) in BTest#x","evidence":{"crash":{"test":"a.BTest#x","cause":"System.exit(3)","exit_code":3,"detail":"at a.B.m(B.java:3)"}},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":5,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000004"},
                {"id":"refused","seq":5,"verdict":"unsupported","summary":"changes the build (pom.xml)","evidence":{"refusal":"changes the build (pom.xml)"},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":6,"format":"JSON"},"files":[],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000005"}
              ]
            }
        "#]],
    );
}

#[test]
fn jsonl_has_one_patch_a_line() {
    check(
        Format::Jsonl,
        expect![[r#"
        {"schema_version":1,"id":"good","seq":0,"verdict":"plausible","summary":"2 tests pass, 1 of them failed before","evidence":{},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":1,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000000"}
        {"schema_version":1,"id":"sa,me","seq":1,"verdict":"plausible","summary":"2 tests pass, 1 of them failed before","evidence":{},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"duplicate","same_as":"good"},"origin":{"file":"p.jsonl","line":2,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000001"}
        {"schema_version":1,"id":"fails","seq":2,"verdict":"test_fail","summary":"BTest#x: expected <1> & \"2\"","evidence":{"failures":[{"test":"a.BTest#x","failed_before":true,"assertion":true,"exception":"E","message":"expected <1>\n100%","trace":"E: expected <1>\n\tat a.BTest.x(BTest.java:7)"}]},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":3,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000002"}
        {"schema_version":1,"id":"broken","seq":3,"verdict":"compile_error","summary":"src/B.java:3: ';' expected","evidence":{"diagnostics":[{"file":"src/B.java","line":3,"column":9,"message":"';' expected","code":"compiler.err.expected"}]},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":4,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000003"}
        {"schema_version":1,"id":"crash","seq":4,"verdict":"crash","summary":"System.exit(3) in BTest#x","evidence":{"crash":{"test":"a.BTest#x","cause":"System.exit(3)","exit_code":3,"detail":"at a.B.m(B.java:3)"}},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":5,"format":"JSON"},"files":["src/main/java/a/B.java"],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000004"}
        {"schema_version":1,"id":"refused","seq":5,"verdict":"unsupported","summary":"changes the build (pom.xml)","evidence":{"refusal":"changes the build (pom.xml)"},"tests":{"planned":2,"run":2,"passed":2,"failed":0,"skipped":0},"timings":{"apply_ms":1,"compile_ms":900,"test_ms":600,"total_ms":1501},"decided":{"strategy":"plain","reason":"asked for","source":"run"},"origin":{"file":"p.jsonl","line":6,"format":"JSON"},"files":[],"notes":[],"content":"0000000000000000000000000000000000000000000000000000000000000005"}
    "#]],
    );
}

#[test]
fn junit_has_one_case_a_patch() {
    check(
        Format::Junit,
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="braid validate, run 4" tests="6" failures="2" errors="1" skipped="1" time="12.345">
            <testcase classname="p.jsonl" name="good" time="1.501"/>
            <testcase classname="p.jsonl" name="sa,me" time="1.501"/>
            <testcase classname="p.jsonl" name="fails" time="1.501">
              <failure message="BTest#x: expected &lt;1&gt; &amp; &quot;2&quot;" type="test_fail">a.BTest#x (failed before)
        E: expected &lt;1&gt;
        	at a.BTest.x(BTest.java:7)
        </failure>
            </testcase>
            <testcase classname="p.jsonl" name="broken" time="1.501">
              <failure message="src/B.java:3: ';' expected" type="compile_error">src/B.java:3:9: ';' expected
        </failure>
            </testcase>
            <testcase classname="p.jsonl" name="crash" time="1.501">
              <error message="System.exit(3) in BTest#x" type="crash">System.exit(3)
        at a.B.m(B.java:3)
        </error>
            </testcase>
            <testcase classname="p.jsonl" name="refused" time="1.501">
              <skipped message="changes the build (pom.xml)">changes the build (pom.xml)
        </skipped>
            </testcase>
          </testsuite>
        </testsuites>
    "#]],
    );
}

#[test]
fn sarif_has_one_result_a_patch() {
    check(
        Format::Sarif,
        expect![[r#"
        {"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": {"name":"braid","rules":[{"defaultConfiguration":{"level":"note"},"id":"plausible","shortDescription":{"text":"all tests that had to pass do, and nothing that passed fails"}},{"defaultConfiguration":{"level":"error"},"id":"test_fail","shortDescription":{"text":"a test fails"}},{"defaultConfiguration":{"level":"error"},"id":"compile_error","shortDescription":{"text":"the patched program does not compile"}},{"defaultConfiguration":{"level":"error"},"id":"apply_error","shortDescription":{"text":"the patch cannot be read or does not apply"}},{"defaultConfiguration":{"level":"error"},"id":"timeout","shortDescription":{"text":"a test, or the compiler, did not end in time"}},{"defaultConfiguration":{"level":"error"},"id":"crash","shortDescription":{"text":"the JVM ended in the middle of a test"}},{"defaultConfiguration":{"level":"warning"},"id":"flaky","shortDescription":{"text":"a test failed, then passed when it was run again"}},{"defaultConfiguration":{"level":"warning"},"id":"unsupported","shortDescription":{"text":"Braid declines to judge this patch"}}],"version":"0.0.0"}}, "originalUriBaseIds": {"ROOT": {"uri": "file:///p/"}}, "results": [
        {"level":"note","locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/main/java/a/B.java","uriBaseId":"ROOT"},"region":{"startLine":1}}}],"message":{"text":"patch good: plausible: 2 tests pass, 1 of them failed before"},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000000"},"properties":{"patch":"good","strategy":"plain"},"ruleId":"plausible","ruleIndex":0},
        {"level":"note","locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/main/java/a/B.java","uriBaseId":"ROOT"},"region":{"startLine":1}}}],"message":{"text":"patch sa,me: plausible: 2 tests pass, 1 of them failed before"},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000001"},"properties":{"patch":"sa,me","strategy":"plain"},"ruleId":"plausible","ruleIndex":0},
        {"level":"error","locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/main/java/a/B.java","uriBaseId":"ROOT"},"region":{"startLine":1}}}],"message":{"text":"patch fails: test_fail: BTest#x: expected <1> & \"2\""},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000002"},"properties":{"patch":"fails","strategy":"plain"},"ruleId":"test_fail","ruleIndex":1},
        {"level":"error","locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/B.java","uriBaseId":"ROOT"},"region":{"startLine":3}}}],"message":{"text":"patch broken: compile_error: src/B.java:3: ';' expected"},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000003"},"properties":{"patch":"broken","strategy":"plain"},"ruleId":"compile_error","ruleIndex":2},
        {"level":"error","locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/main/java/a/B.java","uriBaseId":"ROOT"},"region":{"startLine":1}}}],"message":{"text":"patch crash: crash: System.exit(3) in BTest#x"},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000004"},"properties":{"patch":"crash","strategy":"plain"},"ruleId":"crash","ruleIndex":5},
        {"level":"warning","locations":[{"physicalLocation":{"artifactLocation":{"uri":"p.jsonl"},"region":{"startLine":6}}}],"message":{"text":"patch refused: unsupported: changes the build (pom.xml)"},"partialFingerprints":{"patch/v1":"0000000000000000000000000000000000000000000000000000000000000005"},"properties":{"patch":"refused","strategy":"plain"},"ruleId":"unsupported","ruleIndex":7}
        ]}]}
    "#]],
    );
}

#[test]
fn github_has_one_annotation_a_patch() {
    check(
        Format::Github,
        expect![[r#"
        ::notice file=src/main/java/a/B.java,line=1,title=good%3A plausible::2 tests pass, 1 of them failed before
        ::notice file=src/main/java/a/B.java,line=1,title=sa%2Cme%3A plausible::2 tests pass, 1 of them failed before
        ::error file=src/main/java/a/B.java,line=1,title=fails%3A test_fail::BTest#x: expected <1> & "2"
        ::error file=src/B.java,line=3,title=broken%3A compile_error::src/B.java:3: ';' expected
        ::error file=src/main/java/a/B.java,line=1,title=crash%3A crash::System.exit(3) in BTest#x
        ::warning file=p.jsonl,line=6,title=refused%3A unsupported::changes the build (pom.xml)
    "#]],
    );
}
