//! Mutants as options: what each does in the run of all is what its class alone does.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use braid_engine::vary::{End, Vary, mutants_as_options};
use braid_mutators::{Options, alone, mutate};

/// One method with many mutants, a constructor, a class initialiser, a lambda, an instance method and a loop.
const PROGRAM: &str = r#"
public class Program {
    static int start = 3 + (int) Math.signum(2.0);
    final int base;
    Program(int base) { this.base = base > 4 ? base - 1 : base + start; }
    static int sum(int a, int b) { int c = a + b * 2; int d = c - a / 3; int e = d % 7 + a; int f = e & b; return c + d * e - f; }
    int count(int to) { int n = 0; for (int i = 0; i < to; i++) { n += i ^ base; } return n; }
    java.util.function.IntUnaryOperator times() { return x -> x * base; }
    public static void main(String[] args) {
        System.out.println(start + " " + sum(9, 4) + " " + sum(-2, 7));
        for (int base = 3; base < 6; base++) {
            Program program = new Program(base);
            System.out.println(program.count(4) + " " + program.times().applyAsInt(6));
        }
    }
}
"#;

fn compiled(folder: &Path) -> Arc<[u8]> {
    std::fs::write(folder.join("Program.java"), PROGRAM).expect("written");
    let status = Command::new(braid_subjects::jdk().join("bin/javac"))
        .args(["-g", "-d", ".", "Program.java"])
        .current_dir(folder)
        .status();
    assert!(status.expect("javac runs").success());
    std::fs::read(folder.join("Program.class"))
        .expect("a class")
        .into()
}

#[test]
fn every_mutant_does_in_the_run_of_all_what_its_class_does_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = compiled(folder.path());
    let mut plain = Vary {
        jdk: braid_subjects::jdk(),
        classpath: vec![folder.path().to_path_buf()],
        ..Vary::default()
    };
    plain.limits.fuel = 100_000;
    let classes = BTreeMap::from([("Program".to_owned(), Arc::clone(&original))]);
    let woven = mutants_as_options(&classes, &Options::default()).expect("woven");
    let mutation = mutate(&original, &Options::default()).expect("mutants");
    let names: Vec<String> = (1..=mutation.mutants.len())
        .map(|n| format!("m{n}"))
        .collect();
    assert_eq!(
        woven.meanings.len() + woven.left_out.len(),
        mutation.mutants.len()
    );
    assert!(woven.meanings.len() > 25, "{:?}", woven.left_out);
    let whole = Vary {
        choices: woven.choices,
        instead: woven.classes,
        degree: Some(2),
        ..plain.clone()
    };
    let samples: Vec<Vec<String>> = names.iter().map(|name| vec![name.clone()]).collect();
    let report = whole.run_main_in("Program", &[], &samples).expect("runs");
    for ((mutant, name), sample) in mutation.mutants.iter().zip(&names).zip(&report.samples) {
        if !woven.meanings.contains_key(name) {
            continue;
        }
        let bytes = alone(&original, &mutation, mutant).expect("a class");
        plain.instead = BTreeMap::from([("Program".to_owned(), bytes.into())]);
        let expected = plain
            .run_main_in("Program", &[], &[Vec::new()])
            .expect("runs");
        let expected = &expected.samples[0];
        let what = &woven.meanings[name];
        assert_eq!(sample.end, expected.end, "{name}: {what}");
        assert!(
            !matches!(sample.end, None | Some(End::Unknown(_))),
            "{what}"
        );
        // Where an endless program is stopped depends on how its steps are counted.
        if sample.end != Some(End::Endless) {
            assert_eq!(sample.out, expected.out, "{name}: {what}");
        }
    }
}
