//! Facts about programs: an immutable program in, facts out.
//!
//! - of graphs: [`Graph`], [`Dominators`], [`PostDominators`], [`loops`];
//! - of methods: [`Cfg`] with exception edges, [`Liveness`] of locals, [`MethodTypes`] before each instruction, [`statement_starts`];
//! - of programs: [`World`], classes and method selection; [`CallGraph`]; [`Purity`] of methods; [`Program`], reachability along paths whose calls and returns match.
//!
//! This crate knows nothing of variants or of running anything.
//!
//! A method with a loop, and what is known of it:
//!
//! ```
//! use braid_analysis::{CallGraph, Cfg, Dominators, Liveness, MethodId, Purity, World, loops};
//! use braid_classfile::{
//!     AccessFlags, ClassTable, Code, ClassFile, Editor, Frames, Insn, Op, OwnedClass, Result, new_class,
//! };
//!
//! /// `static void count(int n) { while (n != 0) { n--; } }`
//! fn example() -> Result<Vec<u8>> {
//!     let empty = new_class(61, AccessFlags::PUBLIC, "Example", Some("java/lang/Object"))?;
//!     let class = ClassFile::parse(&empty)?;
//!     let mut editor = Editor::new(&class);
//!     let method = editor.add_method(AccessFlags::STATIC, "count", "(I)V")?;
//!     let mut code = Code::default();
//!     let [head, done] = [code.new_label(), code.new_label()];
//!     code.insns = vec![
//!         Insn::Label(head),
//!         Insn::Local(Op::Iload, 0),
//!         Insn::Jump(Op::Ifeq, done),
//!         Insn::Iinc(0, -1),
//!         Insn::Jump(Op::Goto, head),
//!         Insn::Label(done),
//!         Insn::Plain(Op::Return),
//!     ];
//!     editor.write_code(method, &mut code, Frames::Recompute(&ClassTable::new()))?;
//!     editor.finish()
//! }
//!
//! # fn main() -> Result<()> {
//! let class = OwnedClass::parse(example()?)?;
//! let view = class.view();
//! let code = view.methods().next().expect("a method").code()?.expect("its code");
//! let cfg = Cfg::new(code)?;
//! let dominators = Dominators::new(&cfg.normal, 0);
//! assert_eq!(loops(&cfg.normal, &dominators).len(), 1);
//! assert!(Liveness::new(&cfg, code.max_locals).before(0, 0), "the loop reads its counter");
//!
//! let world = World::new([class.clone()]);
//! assert_eq!(world.method_name(MethodId(0)), "Example.count(I)V");
//! assert!(CallGraph::of_hierarchy(&world).callees(MethodId(0)).is_empty());
//! let purity = Purity::new(&world);
//! assert!(purity.get("Example.count(I)V").expect("known").is_pure());
//! # Ok(()) }
//! ```

mod callgraph;
mod calls;
mod cfg;
mod cfl;
mod dominators;
mod graph;
mod liveness;
mod loops;
mod purity;
mod statements;
mod types;
mod virtual_calls;
mod world;

pub use callgraph::CallGraph;
pub use calls::{Body, Invoke, Lambda};
pub use cfg::{Block, Cfg};
pub use cfl::{Call, Program};
pub use dominators::{Dominators, PostDominators};
pub use graph::Graph;
pub use liveness::{Liveness, locals_of};
pub use loops::{Loop, loops};
pub use purity::{Fact, Purity};
pub use statements::statement_starts;
pub use types::{MethodTypes, Type, TypeState};
pub use world::{ClassId, MethodId, Selector, World};
