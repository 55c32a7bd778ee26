//! Runs a main class in the variational VM: `vvm [-jdk HOME] -cp PATH Main args…`.

use braid_vvm::source::{JdkAndPath, jdk_version};
use braid_vvm::{Config, Limits, Vm};
use std::path::PathBuf;
use std::rc::Rc;

fn main() {
    let run = std::thread::Builder::new()
        .stack_size(4 << 30)
        .spawn(run)
        .expect("a thread");
    std::process::exit(run.join().unwrap_or(70));
}

fn run() -> i32 {
    let mut args = std::env::args().skip(1);
    let mut jdk = PathBuf::from(
        std::env::var("JAVA_HOME").unwrap_or("/usr/lib/jvm/java-17-openjdk-amd64".into()),
    );
    let mut path = Vec::new();
    let mut main = String::new();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-jdk" => jdk = args.next().unwrap_or_default().into(),
            "-cp" => {
                path = args
                    .next()
                    .unwrap_or_default()
                    .split(':')
                    .map(PathBuf::from)
                    .collect()
            }
            _ => {
                main = arg;
                break;
            }
        }
    }
    let rest: Vec<String> = args.collect();
    let started = std::time::Instant::now();
    let java_version = jdk_version(&jdk).unwrap_or(17);
    let source = match JdkAndPath::open(&jdk, java_version, &path) {
        Ok(source) => Rc::new(source),
        Err(error) => {
            eprintln!("vvm: {error}");
            return 70;
        }
    };
    let config = Config {
        source,
        jdk_home: Some(jdk),
        java_version,
        limits: Limits::default(),
        properties: vec![],
        assertions: false,
    };
    let mut vm = match Vm::start(config) {
        Ok(vm) => vm,
        Err(error) => {
            eprintln!("vvm: {error}");
            return 70;
        }
    };
    if std::env::var_os("VVM_TIMES").is_some() {
        eprintln!("boot {:?}", started.elapsed());
    }
    vm.echo(true);
    let status = vm.run_main(&main, &rest);
    if std::env::var_os("VVM_TIMES").is_some() {
        eprintln!("total {:?} {:?}", started.elapsed(), vm.counters());
    }
    status
}
