//! Times the purity of java.base and the jars named as arguments: `bench_purity JDK CACHE JAR...`. Prints seconds.

use std::path::Path;
use std::time::Instant;

use braid_analysis::Purity;
use braid_classpath::{Jar, JdkImage};
use rayon::prelude::*;

fn classes(jdk: &Path, jars: &[String]) -> Vec<Vec<u8>> {
    let image = JdkImage::open(jdk).expect("a JDK with a module image");
    let base: Vec<_> = (image.classes())
        .filter(|(_, resource)| image.module(resource) == "java.base")
        .collect();
    let mut all: Vec<Vec<u8>> = (base.par_iter())
        .map(|(_, resource)| image.read(resource).expect("a readable class"))
        .collect();
    for jar in jars {
        let jar = Jar::open(Path::new(jar)).expect("a jar");
        let read = |name: &String| jar.find(name).expect("readable").expect("listed");
        all.par_extend(jar.class_names().par_iter().map(read));
    }
    all
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [jdk, cache, jars @ ..] = &arguments[..] else {
        eprintln!("usage: bench_purity JDK CACHE JAR...");
        std::process::exit(2);
    };
    let start = Instant::now();
    let purity = Purity::of_classes(classes(Path::new(jdk), jars), Some(Path::new(cache)));
    let seconds = start.elapsed().as_secs_f64();
    let count = |f: fn(braid_analysis::Fact) -> bool| purity.iter().filter(|(_, x)| f(*x)).count();
    eprintln!(
        "{} methods: {} pure, {} more once classes are initialised, {} write only what parameters lead to",
        purity.len(),
        count(|f| f.is_pure()),
        count(|f| f.is_pure_once_initialised() && !f.is_pure()),
        count(|f| !f.is_global() && !f.is_pure_once_initialised()),
    );
    println!("{seconds:.3}");
}
