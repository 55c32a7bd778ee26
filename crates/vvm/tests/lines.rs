//! Product lines: the whole space in one run says of each configuration what HotSpot says.

mod support;

use braid_vvm::{End, Vary};
use std::path::{Path, PathBuf};

/// The most configurations that HotSpot runs; of larger spaces a sample, spread over all of it.
const MOST: usize = 128;

fn source(name: &str) -> PathBuf {
    let own = support::fixtures().join(format!("{name}.java"));
    if own.exists() {
        return own;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(format!("bench/vary-spaces/src/{name}.java"))
}

/// The options that are on.
fn on(options: &[&str], config: usize) -> Vec<String> {
    let all = options.iter().enumerate();
    let chosen = all.filter(|(index, _)| config >> index & 1 == 1);
    chosen.map(|(_, &name)| name.to_owned()).collect()
}

fn end(end: Option<&End>) -> String {
    match end {
        Some(End::Returned) => "returned".into(),
        Some(End::Threw(class, message)) => {
            format!("{class}:{}", message.as_deref().unwrap_or("null")).replace('\n', "\\n")
        }
        other => format!("{other:?}"),
    }
}

fn check(name: &str, options: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture = support::fixtures().join("Configurations.java");
    support::javac(&[fixture, source(name)], folder.path());
    let space = 1_usize << options.len();
    let count = space.min(MOST);
    // An odd step visits every option both on and off.
    let step = (space / count) | 1;
    let configs: Vec<usize> = (0..count).map(|index| index * step % space).collect();
    let root = folder.path().display().to_string();
    let (joined, numbers) = (options.join(","), configs.iter().map(usize::to_string));
    let mut args = vec![root, name.to_owned(), joined];
    args.extend(numbers);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let expected = support::hotspot(&support::jdk(), folder.path(), "Configurations", &args);
    let vary = Vary {
        jdk: support::jdk(),
        classpath: vec![folder.path().to_path_buf()],
        option_fields: options.iter().map(|o| format!("{name}.{o}")).collect(),
        ..Vary::default()
    };
    let samples: Vec<Vec<String>> = configs.iter().map(|&c| on(options, c)).collect();
    let report = vary.run_main_in(name, &[], &samples).expect("runs");
    assert_eq!(report.configurations, space.to_string());
    let parts: Vec<&str> = expected.split("@@ ").skip(1).collect();
    assert_eq!(parts.len(), configs.len());
    for ((part, config), sample) in parts.iter().zip(&configs).zip(&report.samples) {
        let found = format!("{config} {}\n{}", end(sample.end.as_ref()), sample.out);
        assert_eq!(found, *part, "{:?}", sample.on);
    }
}

#[test]
fn classes_made_in_some_configurations_behave_as_on_hotspot() {
    check("Made", &["o0", "o1", "o2"]);
}

#[test]
fn an_elevator_with_6_features_behaves_in_all_64_configurations_as_on_hotspot() {
    let options = [
        "weight",
        "executive",
        "empty",
        "twoThirds",
        "overloaded",
        "logging",
    ];
    check("Elevator", &options);
}

#[test]
fn a_mail_client_with_9_features_behaves_as_on_hotspot() {
    let options = [
        "encrypt",
        "sign",
        "verify",
        "forward",
        "autoReply",
        "addressBook",
        "keys",
        "decrypt",
        "log",
    ];
    check("Mail", &options);
}

#[test]
fn a_graph_library_with_16_features_behaves_as_on_hotspot() {
    let options = [
        "directed",
        "weighted",
        "bfs",
        "dfs",
        "number",
        "connected",
        "strongly",
        "cycle",
        "kruskal",
        "prim",
        "shortest",
        "transpose",
        "degree",
        "components",
        "bipartite",
        "log",
    ];
    check("Graph", &options);
}
