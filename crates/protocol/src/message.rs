//! The messages of both directions.

use crate::error::ProtocolError;
use crate::frame::frame;
use crate::result::{Failure, LeafId, Outcome, UnitId};
use crate::warm::{Redefinition, Trials, UnitRan};
use crate::wire::{Reader, Writer};

/// Which tests of a class take part, by tags (JUnit Platform), categories (JUnit 4) or groups
/// (TestNG).
///
/// A test takes part if any of `include` fits, or `include` is empty, and none of `exclude` does.
/// Each is a name or an expression with `&`, `|`, `!` and parentheses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagFilter {
    /// Expressions of which one must fit.
    pub include: Vec<String>,
    /// Expressions of which none may fit.
    pub exclude: Vec<String>,
}

/// A unit that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundUnit {
    /// How to select it.
    pub id: UnitId,
    /// Who runs it: `junit4`, `junit3`, `testng`, or the id of a JUnit Platform engine.
    pub framework: String,
}

/// What the controller asks of the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToWorker {
    /// Find the units of these classes. Answered by any number of [`FromWorker::Found`] and
    /// [`FromWorker::Problem`], then [`FromWorker::Discovered`].
    Discover {
        /// Binary names of classes that may hold tests.
        classes: Vec<String>,
        /// Which of their tests take part.
        tags: TagFilter,
    },
    /// Run these units in this order. Answered by events, then [`FromWorker::RunFinished`].
    Run {
        /// The units.
        units: Vec<UnitId>,
    },
    /// Say where all threads are. Answered by [`FromWorker::Stack`], even in the middle of a run.
    Dump,
    /// End the JVM at once, whatever its threads are doing.
    Exit,
    /// Start over with another program, in a loader of its own. Answered by [`FromWorker::Renewed`].
    Renew {
        /// The class path of the program, without the test frameworks.
        classpath: Vec<String>,
    },
    /// Make these trials, in a warm worker. Answered by [`FromWorker::TrialStarted`] and
    /// [`FromWorker::UnitRan`] for each unit, then [`FromWorker::TrialsFinished`].
    RunTrials(Trials),
    /// Give these classes other bytes, in a warm worker. Answered by [`FromWorker::Redefined`].
    Redefine {
        /// The classes.
        classes: Vec<Redefinition>,
    },
    /// Leave out the trials that have not begun.
    Halt,
}

/// What the worker tells the controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromWorker {
    /// The first message.
    Hello {
        /// [`VERSION`](crate::VERSION) of the worker.
        version: u16,
        /// The secret that the worker was given at start.
        token: String,
        /// The version of Java that the worker runs on, as `java.version` says.
        java: String,
    },
    /// A unit that was asked for was found.
    Found(FoundUnit),
    /// A class could not be searched for tests.
    Problem {
        /// The class.
        class: String,
        /// Why.
        message: String,
    },
    /// The search is over.
    Discovered,
    /// The first leaf of a unit, or its set-up, begins.
    UnitStarted {
        /// The unit.
        unit: UnitId,
    },
    /// A leaf begins. Units may take turns: all units with the first parameter, then all with the
    /// second.
    LeafStarted {
        /// Its unit.
        unit: UnitId,
        /// The leaf.
        leaf: LeafId,
    },
    /// A leaf has ended, or is skipped without having begun.
    LeafFinished {
        /// Its unit.
        unit: UnitId,
        /// The leaf.
        leaf: LeafId,
        /// What came of it.
        outcome: Outcome,
        /// How long it took.
        nanos: u64,
    },
    /// Nothing more comes of this unit.
    UnitFinished {
        /// The unit.
        unit: UnitId,
        /// How long its leaves took together.
        nanos: u64,
    },
    /// All units that were asked for are finished.
    RunFinished,
    /// Where the threads are.
    Stack {
        /// In the manner of a thread dump; the thread that runs tests comes first.
        text: String,
    },
    /// The program called `System.exit` or was asked to end.
    Exiting {
        /// The stack of the thread that did it, if it was found.
        stack: String,
    },
    /// The worker itself cannot go on.
    Broken {
        /// Why.
        message: String,
    },
    /// The answer to [`ToWorker::Renew`].
    Renewed {
        /// Why the JVM is not fit for it, if so.
        unfit: Option<String>,
    },
    /// A unit of a trial begins.
    TrialStarted {
        /// The place of the trial in the request.
        trial: u32,
        /// The place of the unit in the request's list.
        unit: u32,
    },
    /// A unit of a trial has ended and its traces are removed.
    UnitRan(Box<UnitRan>),
    /// No more trials are made for this request: all are, or the JVM is tainted, or
    /// [`ToWorker::Halt`] came.
    TrialsFinished,
    /// Classes have other bytes now, or not.
    Redefined {
        /// 0, or the number of a JVMTI error, or -1.
        error: i32,
        /// What went wrong.
        message: String,
    },
    /// Something about the program that makes its tests less trustworthy in a warm worker.
    Note {
        /// What.
        text: String,
    },
}

impl ToWorker {
    /// The message as a frame; `None` if it is too long for one.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Writer::default();
        match self {
            Self::Discover { classes, tags } => {
                out.u8(1);
                out.texts(classes);
                out.texts(&tags.include);
                out.texts(&tags.exclude);
            }
            Self::Run { units } => {
                out.u8(2);
                let ids: Vec<&str> = units.iter().map(|unit| unit.0.as_str()).collect();
                out.texts(&ids);
            }
            Self::Dump => out.u8(3),
            Self::Exit => out.u8(4),
            Self::Renew { classpath } => {
                out.u8(5);
                out.texts(classpath);
            }
            Self::RunTrials(trials) => {
                out.u8(64);
                out.trials(trials);
            }
            Self::Redefine { classes } => {
                out.u8(65);
                out.redefinitions(classes);
            }
            Self::Halt => out.u8(66),
        }
        frame(out.0)
    }

    /// The message in the body of a frame.
    pub fn decode(body: &[u8]) -> Result<Self, ProtocolError> {
        let mut input = Reader(body);
        let message = match input.u8()? {
            1 => {
                let classes = input.texts()?;
                let tags = TagFilter {
                    include: input.texts()?,
                    exclude: input.texts()?,
                };
                Self::Discover { classes, tags }
            }
            2 => Self::Run {
                units: input.texts()?,
            },
            3 => Self::Dump,
            4 => Self::Exit,
            5 => Self::Renew {
                classpath: input.texts()?,
            },
            64 => Self::RunTrials(input.trials()?),
            65 => Self::Redefine {
                classes: input.redefinitions()?,
            },
            66 => Self::Halt,
            number => return Err(ProtocolError::UnknownMessage { number }),
        };
        input.end()?;
        Ok(message)
    }
}

impl FromWorker {
    /// The message as a frame; `None` if it is too long for one.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let mut out = Writer::default();
        match self {
            Self::Hello {
                version,
                token,
                java,
            } => {
                out.u8(1);
                out.u16(*version);
                out.text(token);
                out.text(java);
            }
            Self::Found(FoundUnit { id, framework }) => out.message(2, &[&id.0, framework]),
            Self::Problem { class, message } => out.message(3, &[class, message]),
            Self::Discovered => out.u8(4),
            Self::UnitStarted { unit } => out.message(5, &[&unit.0]),
            Self::LeafStarted { unit, leaf } => out.message(6, &[&unit.0, &leaf.0]),
            Self::LeafFinished {
                unit,
                leaf,
                outcome,
                nanos,
            } => {
                out.message(7, &[&unit.0, &leaf.0]);
                out.outcome(outcome);
                out.u64(*nanos);
            }
            Self::UnitFinished { unit, nanos } => {
                out.message(8, &[&unit.0]);
                out.u64(*nanos);
            }
            Self::RunFinished => out.u8(9),
            Self::Stack { text } => out.message(10, &[text]),
            Self::Exiting { stack } => out.message(11, &[stack]),
            Self::Broken { message } => out.message(12, &[message]),
            Self::Renewed { unfit } => {
                out.u8(13);
                out.option(unfit.as_deref());
            }
            Self::TrialStarted { trial, unit } => {
                out.u8(64);
                out.u32(*trial);
                out.u32(*unit);
            }
            Self::UnitRan(ran) => {
                out.u8(65);
                out.unit_ran(ran);
            }
            Self::TrialsFinished => out.u8(66),
            Self::Redefined { error, message } => {
                out.u8(67);
                out.i32(*error);
                out.text(message);
            }
            Self::Note { text } => out.message(68, &[text]),
        }
        frame(out.0)
    }

    /// The message in the body of a frame.
    pub fn decode(body: &[u8]) -> Result<Self, ProtocolError> {
        let mut input = Reader(body);
        let message = match input.u8()? {
            1 => Self::Hello {
                version: input.u16()?,
                token: input.text()?,
                java: input.text()?,
            },
            2 => Self::Found(FoundUnit {
                id: input.unit()?,
                framework: input.text()?,
            }),
            3 => Self::Problem {
                class: input.text()?,
                message: input.text()?,
            },
            4 => Self::Discovered,
            5 => Self::UnitStarted {
                unit: input.unit()?,
            },
            6 => Self::LeafStarted {
                unit: input.unit()?,
                leaf: input.leaf()?,
            },
            7 => Self::LeafFinished {
                unit: input.unit()?,
                leaf: input.leaf()?,
                outcome: input.outcome()?,
                nanos: input.u64()?,
            },
            8 => Self::UnitFinished {
                unit: input.unit()?,
                nanos: input.u64()?,
            },
            9 => Self::RunFinished,
            10 => Self::Stack {
                text: input.text()?,
            },
            11 => Self::Exiting {
                stack: input.text()?,
            },
            12 => Self::Broken {
                message: input.text()?,
            },
            13 => Self::Renewed {
                unfit: input.option()?,
            },
            64 => Self::TrialStarted {
                trial: input.u32()?,
                unit: input.u32()?,
            },
            65 => Self::UnitRan(Box::new(input.unit_ran()?)),
            66 => Self::TrialsFinished,
            67 => Self::Redefined {
                error: input.i32()?,
                message: input.text()?,
            },
            68 => Self::Note {
                text: input.text()?,
            },
            number => return Err(ProtocolError::UnknownMessage { number }),
        };
        input.end()?;
        Ok(message)
    }
}

impl Writer {
    pub(crate) fn message(&mut self, number: u8, texts: &[&str]) {
        self.u8(number);
        for text in texts {
            self.text(text);
        }
    }

    pub(crate) fn outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.u8(0),
            Outcome::Failed(Failure {
                assertion,
                exception,
                message,
                trace,
            }) => {
                self.u8(1);
                self.bool(*assertion);
                self.text(exception);
                self.option(message.as_deref());
                self.text(trace);
            }
            Outcome::Skipped { reason } => self.message(2, &[reason]),
        }
    }
}

impl Reader<'_> {
    pub(crate) fn unit(&mut self) -> Result<UnitId, ProtocolError> {
        self.text().map(UnitId)
    }

    pub(crate) fn leaf(&mut self) -> Result<LeafId, ProtocolError> {
        self.text().map(LeafId)
    }

    pub(crate) fn outcome(&mut self) -> Result<Outcome, ProtocolError> {
        match self.u8()? {
            0 => Ok(Outcome::Passed),
            1 => Ok(Outcome::Failed(Failure {
                assertion: self.bool()?,
                exception: self.text()?,
                message: self.option()?,
                trace: self.text()?,
            })),
            2 => Ok(Outcome::Skipped {
                reason: self.text()?,
            }),
            _ => Err(ProtocolError::BadValue {
                field: "an outcome",
            }),
        }
    }
}
