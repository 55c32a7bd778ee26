//! Purity against what the Java fixture says of itself, and the cache against the facts.

use std::path::Path;
use std::process::Command;

use braid_analysis::{Fact, Purity};
use braid_classpath::JdkImage;

const SOURCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/purity/Purities.java"
);

fn compiled() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let javac = Command::new(braid_subjects::jdk().join("bin/javac"))
        .arg("-d")
        .arg(folder.path())
        .arg(SOURCE)
        .status();
    assert!(javac.expect("javac runs").success());
    let files = std::fs::read_dir(folder.path()).expect("listed");
    files
        .map(|file| std::fs::read(file.expect("a file").path()).expect("readable"))
        .collect()
}

fn java_base() -> Vec<Vec<u8>> {
    let image = JdkImage::open(&braid_subjects::jdk()).expect("a JDK image");
    (image.classes())
        .filter(|(_, resource)| image.module(resource) == "java.base")
        .map(|(_, resource)| image.read(&resource).expect("a readable class"))
        .collect()
}

/// The methods of the fixture with their expected facts, as (class, name, fact).
fn expected() -> Vec<(String, String, String)> {
    let mut class = String::new();
    let mut all = Vec::new();
    for line in std::fs::read_to_string(SOURCE)
        .expect("the fixture")
        .lines()
    {
        let word_after = |word: &str| {
            let rest = line.split_once(word)?.1;
            Some(rest.split([' ', '{']).next()?.to_string())
        };
        if line.trim_end().ends_with('{') && !line.contains('(') {
            match word_after("class ") {
                Some(name) if name == "Purities" => class = name,
                Some(name) => class = format!("Purities${name}"),
                None => {}
            }
        }
        if line == "    }" && !line.contains("//") {
            class = "Purities".into();
        }
        if let (Some((head, fact)), true) = (line.split_once("// "), line.contains('(')) {
            let name = head.split('(').next().expect("a name");
            let name = name.rsplit(' ').next().expect("a word").to_string();
            let indented = line.starts_with("        ");
            let owner = if indented { &class } else { "Purities" };
            all.push((owner.to_string(), name, fact.trim().to_string()));
        }
    }
    all
}

fn in_words(fact: Fact) -> String {
    if fact.is_pure() {
        return "pure".into();
    }
    if fact.is_pure_once_initialised() {
        return "initialises".into();
    }
    if fact.is_global() {
        return "global".into();
    }
    let mutated: Vec<String> = fact.mutated().iter().map(usize::to_string).collect();
    format!("mutates {}", mutated.join(" "))
}

#[test]
fn methods_are_as_pure_as_the_fixture_says_and_the_cache_says_the_same() {
    let mut classes = compiled();
    classes.extend(java_base());
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("purity");
    let purity = Purity::of_classes(classes.clone(), Some(&cache));
    let expected = expected();
    assert!(expected.len() > 40, "only {} facts", expected.len());
    let mut wrong = Vec::new();
    for (class, name, fact) in expected {
        let start = format!("{class}.{name}(");
        let found = purity.iter().find(|(method, _)| method.starts_with(&start));
        let (method, found) = found.unwrap_or_else(|| panic!("no method {start}"));
        if in_words(found) != fact {
            let why = purity.why(method).join("\n    ");
            wrong.push(format!(
                "{method} is {}, not {fact}:\n    {why}",
                in_words(found)
            ));
        }
        assert_eq!(found.is_pure(), purity.why(method).is_empty(), "{method}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let locks = purity
        .get("Purities.locks(LPurities$Cell;)V")
        .expect("known");
    assert!(locks.locks());
    check_cache(classes, &cache, &purity);
}

/// The cache gives the same facts; a broken one, or one of other classes, is not used.
fn check_cache(mut classes: Vec<Vec<u8>>, cache: &Path, purity: &Purity) {
    let again = Purity::of_classes(classes.clone(), Some(cache));
    assert!(again == *purity, "the cache changed the facts");
    let whole = std::fs::read(cache).expect("a cache was written");
    // Few classes are enough to see whether the cache is believed.
    classes.truncate(3);
    let small = Purity::of_classes(classes.clone(), Some(cache));
    assert!(
        small.len() < purity.len(),
        "facts of other classes were used"
    );
    let own = std::fs::read(cache).expect("written again");
    for broken in [own[..own.len() / 2].to_vec(), Vec::new(), whole] {
        std::fs::write(cache, &broken).expect("written");
        assert!(Purity::of_classes(classes.clone(), Some(cache)) == small);
    }
    let mut flipped = own.clone();
    *flipped.last_mut().expect("not empty") ^= 1;
    std::fs::write(cache, &flipped).expect("written");
    assert!(Purity::of_classes(classes, Some(cache)) == small);
    assert_eq!(std::fs::read(cache).expect("written again"), own);
}
