//! The `braid` command: reads the command line, calls the engine, writes reports.
//!
//! Nothing is decided here but what to show and how to exit.

mod args;
mod demo;
mod exit;
mod look;
mod mutate;
mod signals;
mod validate;
mod vary;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use exit::Exit;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // help and version come here too, and are no errors
            let _ = error.print();
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Found
            };
            return exit.into();
        }
    };
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(error) => exit::report(&error).into(),
    }
}

fn run(cli: Cli) -> Result<Exit, braid_engine::EngineError> {
    match cli.command {
        Command::Validate(args) => validate::validate(&args),
        Command::Mutate(args) => mutate::mutate(&args),
        Command::Apply(args) => mutate::apply(&args),
        Command::Merge(args) => mutate::merge(&args),
        Command::Vary(args) => vary::vary(&args),
        Command::Demo(args) => demo::demo(&args),
        Command::Doctor(args) => look::doctor(&args),
        Command::Init(args) => look::init(&args),
        Command::Show(args) => look::show(&args),
        Command::Report(args) => look::report(&args),
        Command::Runs(args) => look::runs(&args),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "braid", &mut std::io::stdout());
            Ok(Exit::Found)
        }
    }
}
