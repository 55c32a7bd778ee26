//! The warm road: one JVM for many requests.

use std::path::PathBuf;

use crate::service::{Life, Service};
use crate::wire::{Reader, Writer};
use crate::{CompileError, Javac, Outcome, Plain, Request, Response, Setup, Source, Tool, request};

/// What a compiler that has nothing to do yet compiles, and how often. Much of what javac consists of runs for it.
const SAMPLE: &str = include_str!("sample.java");
const SAMPLES: usize = 12;
/// Its last method and its end, for every third time: errors have a way of their own through the compiler.
const BROKEN: &str = "int broken() { return missing(size) + \"text\".length; } }";

/// A long-lived JVM with a warm javac; see also [`Warm::compile_patches`].
///
/// It is started when needed and again after it died.
#[derive(Debug)]
pub struct Warm {
    tool: Tool,
    service: Option<Service>,
}

impl Warm {
    /// Starts the JVM.
    pub fn start(tool: Tool) -> Result<Warm, CompileError> {
        let service = Some(Service::start(&tool, Life::Long)?);
        Ok(Warm { tool, service })
    }

    /// How the JVM is started.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Compiles a sample some times, so that the first real request finds the compiler loaded and compiled itself.
    pub fn warm_up(&mut self) -> Result<(), CompileError> {
        let broken = SAMPLE.trim_end().trim_end_matches('}').to_owned() + BROKEN;
        for round in 0..SAMPLES {
            let text = if round % 3 == 2 { &broken } else { SAMPLE };
            let source = Source {
                path: PathBuf::from("Sample.java"),
                content: Some(text.into()),
            };
            let response = self.compile(&Request {
                setup: Setup::default(),
                sources: vec![source],
            })?;
            let compiled = matches!(response.outcome, Outcome::Compiled(_));
            debug_assert_eq!(compiled, round % 3 != 2, "{:?}", response.outcome);
        }
        Ok(())
    }

    /// The process id of the JVM, for measuring; none between two lives.
    pub fn pid(&self) -> Option<u32> {
        self.service.as_ref().map(Service::pid)
    }

    /// The slow twin, which starts a fresh JVM for each request.
    pub(crate) fn plain(&self) -> Plain {
        Plain::new(self.tool.clone())
    }

    pub(crate) fn ask(&mut self, request: &Writer) -> Result<Reader, CompileError> {
        let service = match &mut self.service {
            Some(service) => service,
            none => none.insert(Service::start(&self.tool, Life::Long)?),
        };
        let answer = service.ask(request);
        let alive = matches!(&answer, Ok(_) | Err(CompileError::Fault(_)));
        if !alive {
            self.service = None;
        }
        answer
    }
}

impl Javac for Warm {
    /// Compiles in the warm JVM; what could overflow its stack, and what made it fail, goes to a
    /// fresh one.
    fn compile(&mut self, request: &Request) -> Result<Response, CompileError> {
        let answer = self.ask(&request::write(request, true)?);
        match answer.and_then(|mut answer| request::read(&mut answer)) {
            Ok(Some(response)) => Ok(response),
            Ok(None) | Err(CompileError::Died(_) | CompileError::Fault(_)) => {
                self.plain().compile(request)
            }
            Err(error) => Err(error),
        }
    }
}
