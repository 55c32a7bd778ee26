//! The plain road: a fresh JVM for each request.

use crate::service::{Life, Service};
use crate::{CompileError, Javac, Request, Response, Tool, request};

/// Compiles each request in a JVM of its own.
#[derive(Debug, Clone)]
pub struct Plain {
    tool: Tool,
}

impl Plain {
    /// Nothing is started yet.
    pub fn new(tool: Tool) -> Plain {
        Plain { tool }
    }
}

impl Javac for Plain {
    fn compile(&mut self, request: &Request) -> Result<Response, CompileError> {
        let mut service = Service::start(&self.tool, Life::Once)?;
        let answer = request::read(&mut service.ask(&request::write(request, false)?)?)?;
        answer.ok_or_else(|| CompileError::Protocol("a request was given up".into()))
    }
}
