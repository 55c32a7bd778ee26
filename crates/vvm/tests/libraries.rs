//! The unit tests of real libraries: each must end as on HotSpot, or be `unknown` with a reason.
//!
//! By default a few classes of each library, and one of each with the class libraries of other Javas that are there;
//! with `BRAID_SWEEP=full` all of the chosen packages. `BRAID_LIBRARY=gson` runs one library only, `BRAID_JAVA=21` one Java only.

mod support;

use braid_vvm::Vary;
use braid_vvm::junit::Outcome;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Verdicts, add};

/// Where the tests of a library come from.
enum Tests {
    /// A jar that the library publishes.
    Jar(&'static str),
    /// A fixture, for a library that does not publish its tests.
    Own(&'static str),
}

struct Library {
    name: &'static str,
    /// The library and what its tests need, besides JUnit.
    jars: &'static [&'static str],
    tests: Tests,
    packages: &'static [&'static str],
    /// Simple names of the classes that are always run.
    quick: &'static [&'static str],
}

const LIBRARIES: &[Library] = &[
    Library {
        name: "commons-cli",
        jars: &["commons-cli:commons-cli:1.5.0"],
        tests: Tests::Jar("commons-cli:commons-cli:1.5.0:tests"),
        packages: &["org.apache.commons.cli."],
        quick: &["DefaultParserTest", "OptionsTest", "HelpFormatterTest"],
    },
    Library {
        name: "commons-csv",
        jars: &[
            "org.apache.commons:commons-csv:1.10.0",
            "commons-io:commons-io:2.15.1",
            "org.apache.commons:commons-lang3:3.14.0",
        ],
        tests: Tests::Jar("org.apache.commons:commons-csv:1.10.0:tests"),
        packages: &["org.apache.commons.csv."],
        quick: &["CSVFormatTest", "CSVRecordTest", "LexerTest"],
    },
    Library {
        name: "commons-codec",
        jars: &[
            "commons-codec:commons-codec:1.16.0",
            "org.apache.commons:commons-lang3:3.14.0",
        ],
        tests: Tests::Jar("commons-codec:commons-codec:1.16.0:tests"),
        packages: &["org.apache.commons.codec."],
        quick: &["Base64Test", "HexTest", "SoundexTest", "URLCodecTest"],
    },
    Library {
        name: "commons-lang3",
        jars: &[
            "org.apache.commons:commons-lang3:3.14.0",
            "org.easymock:easymock:5.2.0",
            "org.objenesis:objenesis:3.1",
        ],
        tests: Tests::Jar("org.apache.commons:commons-lang3:3.14.0:tests"),
        packages: &[
            "org.apache.commons.lang3.text.",
            "org.apache.commons.lang3.math.",
            "org.apache.commons.lang3.builder.",
        ],
        quick: &["FractionTest", "NumberUtilsTest", "StrBuilderTest"],
    },
    Library {
        name: "commons-math3",
        jars: &["org.apache.commons:commons-math3:3.6.1"],
        tests: Tests::Jar("org.apache.commons:commons-math3:3.6.1:tests"),
        packages: &[
            "org.apache.commons.math3.util.",
            "org.apache.commons.math3.complex.",
            "org.apache.commons.math3.fraction.",
        ],
        quick: &[
            "FractionTest",
            "ComplexFormatTest",
            "ResizableDoubleArrayTest",
        ],
    },
    Library {
        name: "gson",
        jars: &["com.google.code.gson:gson:2.10.1"],
        tests: Tests::Own("GsonShapesTest"),
        packages: &["GsonShapesTest"],
        quick: &["GsonShapesTest"],
    },
    Library {
        name: "junit4-rules",
        jars: &[],
        tests: Tests::Own("RulesTest"),
        packages: &["RulesTest"],
        quick: &["RulesTest"],
    },
    Library {
        name: "joda-time",
        jars: &["joda-time:joda-time:2.12.5", "org.joda:joda-convert:2.2.3"],
        tests: Tests::Own("JodaDatesTest"),
        packages: &["JodaDatesTest"],
        quick: &["JodaDatesTest"],
    },
];

/// Tests whose verdict depends on the machine or on what ran before them in the same JVM, so that HotSpot's
/// verdict in a shared JVM is not the one to compare with.
const ENVIRONMENT: &[&str] = &[];

/// What the libraries' own builds open for their tests; the VM does not check access between modules.
const OPENED: &[&str] = &[
    "java.base/java.lang=ALL-UNNAMED",
    "java.base/java.lang.reflect=ALL-UNNAMED",
    "java.base/java.math=ALL-UNNAMED",
    "java.base/java.time=ALL-UNNAMED",
    "java.base/java.time.chrono=ALL-UNNAMED",
    "java.base/java.util=ALL-UNNAMED",
    "java.base/java.util.concurrent=ALL-UNNAMED",
];

fn launcher() -> Vec<PathBuf> {
    let mut jars = braid_subjects::junit5();
    jars.extend(braid_subjects::maven(&[
        "org.junit.platform:junit-platform-launcher:1.11.4",
        "org.junit.vintage:junit-vintage-engine:5.11.4",
        "junit:junit:4.13.2",
        "org.hamcrest:hamcrest:2.2",
    ]));
    jars
}

fn oracle(home: &Path, folder: &Path, jars: &[PathBuf], classes: &[String]) -> Verdicts {
    let mut path = vec![folder.to_path_buf()];
    path.extend_from_slice(jars);
    path.extend(launcher());
    let output = Command::new(home.join("bin/java"))
        .args(["-Xmx1g", "-XX:TieredStopAtLevel=1", "-ea"])
        .args([
            "-Duser.timezone=UTC",
            "-Duser.language=en",
            "-Duser.country=",
        ])
        .args(OPENED.iter().flat_map(|package| ["--add-opens", package]))
        .arg("-cp")
        .arg(std::env::join_paths(path).expect("a class path"))
        .arg("Oracle")
        .args(classes)
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("java runs");
    let mut verdicts = Verdicts::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((name, status)) = line.split_once('\t') else {
            continue;
        };
        let verdict = match status {
            "passed" => "passed",
            "skipped" => "skipped",
            _ => "failed",
        };
        add(&mut verdicts, name, verdict);
    }
    assert!(
        !verdicts.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    verdicts
}

/// HotSpot's verdict on a method, or on its class where the class was judged as a whole.
fn expected(oracle: &Verdicts, name: &str) -> Option<&'static str> {
    let class = name.split('#').next().unwrap_or(name);
    let whole = oracle.get(&format!("{class}#*"));
    oracle.get(name).or(whole).copied()
}

fn classes_of(library: &Library, vary: &Vary, tests: &[PathBuf], extent: Extent) -> Vec<String> {
    let all = vary.classes_of(tests).expect("the jar can be read");
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    all.into_iter()
        .filter(|name| {
            library
                .packages
                .iter()
                .any(|package| name.starts_with(package))
        })
        .filter(|name| name.ends_with("Test") && !name.contains('$'))
        .filter(|name| match extent {
            Extent::One => library.quick[0] == simple(name),
            Extent::Few => library.quick.contains(&simple(name).as_str()),
            Extent::All => true,
        })
        .collect()
}

/// How many of the test classes are run.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    One,
    Few,
    All,
}

struct Found {
    methods: usize,
    undecided: Vec<String>,
    wrong: Vec<String>,
}

/// The compiled tests in a folder, as in a build: a resource of a jar has no file.
fn test_classes(library: &Library, folder: &Path, jars: &[PathBuf]) -> PathBuf {
    let tests = folder.join(library.name);
    std::fs::create_dir_all(&tests).expect("a folder");
    let mut command = match library.tests {
        Tests::Jar(coordinates) => {
            let mut jar = Command::new(support::jdk().join("bin/jar"));
            jar.arg("xf").args(braid_subjects::maven(&[coordinates]));
            jar
        }
        Tests::Own(name) => {
            let source = support::fixtures().join(format!("suites/{name}.java"));
            let path = jars.iter().cloned().chain(launcher());
            let mut javac = Command::new(support::jdk().join("bin/javac"));
            javac
                .args(["-nowarn", "-encoding", "UTF-8", "-d", ".", "-cp"])
                .arg(std::env::join_paths(path).expect("a class path"))
                .arg(source);
            javac
        }
    };
    let status = command.current_dir(&tests).status();
    assert!(status.expect("the JDK's tool runs").success());
    tests
}

fn compare(library: &Library, home: &Path, folder: &Path, extent: Extent) -> Found {
    let mut jars = braid_subjects::maven(library.jars);
    let tests = vec![test_classes(library, folder, &jars)];
    jars.extend(tests.clone());
    let mut vary = Vary {
        jdk: home.to_path_buf(),
        classpath: jars.iter().cloned().chain(launcher()).collect(),
        assertions: true,
        properties: vec![("user.dir".into(), folder.display().to_string())],
        ..Vary::default()
    };
    vary.limits.fuel = match extent {
        Extent::All => 60_000_000,
        _ => 20_000_000,
    };
    let classes = classes_of(library, &vary, &tests, extent);
    let oracle = oracle(home, folder, &jars, &classes);
    let report = vary.run_tests(&classes).expect("the VM starts");
    let mut ours = Verdicts::new();
    let mut why: BTreeMap<String, String> = BTreeMap::new();
    for test in &report.tests {
        let method = test.name.split('[').next().unwrap_or(&test.name);
        for outcome in &test.outcomes {
            let (verdict, text) = match &outcome.value {
                Outcome::Passed => ("passed", String::new()),
                Outcome::Skipped(_) => ("skipped", String::new()),
                Outcome::Failed(class, message) => (
                    "failed",
                    format!("{class}: {}", message.as_deref().unwrap_or("")),
                ),
                Outcome::Endless => ("undecided", "more steps than allowed".to_owned()),
                Outcome::Unknown(reason) => ("undecided", reason.clone()),
            };
            add(&mut ours, method, verdict);
            if !text.is_empty() {
                why.entry(method.to_owned()).or_insert(text);
            }
        }
    }
    let mut found = Found {
        methods: ours.len(),
        undecided: report
            .problems
            .iter()
            .map(|p| format!("{}: {}", p.class, p.problem))
            .collect(),
        wrong: Vec::new(),
    };
    for (name, verdict) in &ours {
        let text = why.get(name).map_or("", String::as_str);
        if *verdict == "undecided" {
            found.undecided.push(format!("{name}: {text}"));
        } else if let Some(expected) = expected(&oracle, name)
            && expected != *verdict
            && !ENVIRONMENT.contains(&name.as_str())
        {
            found
                .wrong
                .push(format!("{name}: {verdict}, on HotSpot {expected} {text}"));
        }
    }
    for name in oracle
        .keys()
        .filter(|name| !name.ends_with("#*") && !ours.contains_key(*name))
    {
        found
            .wrong
            .push(format!("{name}: not found, on HotSpot {}", oracle[name]));
    }
    found
}

/// Compares the libraries with one Java; what is wrong.
fn compare_all(home: &Path, folder: &Path, extent: Extent) -> Vec<String> {
    let mut problems = Vec::new();
    let (mut methods, mut undecided) = (0, 0);
    let only = std::env::var("BRAID_LIBRARY").unwrap_or_default();
    for library in LIBRARIES.iter().filter(|l| l.name.contains(&only)) {
        let found = compare(library, home, folder, extent);
        println!(
            "{}: {} test methods, {} undecided, {} wrong",
            library.name,
            found.methods,
            found.undecided.len(),
            found.wrong.len()
        );
        for line in &found.undecided {
            println!("  undecided {line}");
        }
        for line in &found.wrong {
            println!("  WRONG {line}");
            problems.push(line.clone());
        }
        methods += found.methods;
        undecided += found.undecided.len();
    }
    assert!(methods > 0, "no library fits {only:?}");
    if undecided * 20 > methods {
        problems.push(format!(
            "{undecided} of {methods} test methods are undecided"
        ));
    }
    problems
}

#[test]
fn unit_tests_of_libraries_end_as_on_hotspot() {
    let full = std::env::var("BRAID_SWEEP").is_ok_and(|text| text == "full");
    let only = std::env::var("BRAID_JAVA").ok();
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new(support::jdk().join("bin/javac"))
        .args(["-nowarn", "-d"])
        .arg(folder.path())
        .arg("-cp")
        .arg(std::env::join_paths(launcher()).expect("a class path"))
        .arg(support::fixtures().join("Oracle.java"))
        .status();
    assert!(status.expect("javac runs").success());
    let mut problems = Vec::new();
    for (index, home) in support::homes().iter().enumerate() {
        let version = braid_vvm::source::jdk_version(home).unwrap_or_default();
        if only
            .as_ref()
            .is_some_and(|only| *only != version.to_string())
        {
            continue;
        }
        println!("Java {version}");
        let extent = match (full, index) {
            (true, _) => Extent::All,
            (false, 0) => Extent::Few,
            (false, _) => Extent::One,
        };
        problems.extend(compare_all(home, folder.path(), extent));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
