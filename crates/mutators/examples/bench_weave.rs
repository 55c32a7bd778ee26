//! How long weaving takes: `bench_weave MUTANTS ROUNDS JAR...`. Prints the seconds of the best round: to make the mutants, and to
//! weave them into their classes.

#[path = "../tests/common/variants.rs"]
mod variants;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use braid_classpath::Jar;
use braid_mutators::Options;
use braid_weave::{Variant, weave_program};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mutants, rounds, jars @ ..] = &args[..] else {
        panic!("bench_weave MUTANTS ROUNDS JAR...");
    };
    let (mutants, rounds): (usize, u32) = (number(mutants) as usize, number(rounds));
    let mut classes = BTreeMap::new();
    for jar in jars {
        let jar = Jar::open_for(Path::new(jar), 17).unwrap();
        let names = jar.class_names().into_iter();
        for name in names.filter(|name| !name.ends_with("module-info")) {
            let bytes = jar.find(&name).unwrap().unwrap();
            classes.insert(name, bytes);
        }
    }
    let find = |name: &str| classes.get(name).map(|bytes| Cow::from(bytes.as_slice()));
    let (mut making, mut weaving) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        let start = Instant::now();
        let made = variants::variants(&classes, &Options::default());
        let share = mutants as f64 / made.len() as f64;
        making = making.min(start.elapsed().mul_f64(share));
        let variants: Vec<Variant> = made.into_iter().map(|(_, variant)| variant).collect();
        assert!(variants.len() >= mutants, "only {}", variants.len());
        let start = Instant::now();
        let program = weave_program(&find, &variants[..mutants]).unwrap();
        weaving = weaving.min(start.elapsed());
        assert!(program.unsupported.is_empty());
    }
    println!("{:.3} {:.3}", making.as_secs_f64(), weaving.as_secs_f64());
}

fn number(text: &str) -> u32 {
    text.parse().expect("a number")
}
