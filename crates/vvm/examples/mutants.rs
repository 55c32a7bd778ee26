//! Puts first-order mutants into a class, each behind an option: `mutants FILE.class OUT N`.
//!
//! Arithmetic and comparisons become calls of a class `Mutants` that chooses by its `static boolean` fields
//! `m0`, `m1`, …; its source is written to `OUT/Mutants.java`, the mutated class to `OUT`. At most `N` mutants.

use braid_classfile::{ClassFile, Code, Editor, Frames, Insn, Op};
use std::fmt::Write;
use std::path::Path;

/// An instruction that is mutated: its operator and type in Java, and what may stand in its place.
fn replacements(op: Op) -> Option<(&'static str, &'static str, &'static [&'static str])> {
    const RELATIONS: [&str; 6] = ["==", "!=", "<", ">=", ">", "<="];
    Some(match op {
        Op::Iadd => ("+", "int", &["-", "*", "/", "%"]),
        Op::Isub => ("-", "int", &["+", "*", "/", "%"]),
        Op::Imul => ("*", "int", &["+", "-", "/", "%"]),
        Op::Idiv => ("/", "int", &["+", "-", "*", "%"]),
        Op::Irem => ("%", "int", &["+", "-", "*", "/"]),
        Op::Ladd => ("+", "long", &["-", "*"]),
        Op::Lsub => ("-", "long", &["+", "*"]),
        Op::Lmul => ("*", "long", &["+", "-"]),
        Op::IfIcmpeq | Op::Ifeq => ("==", "boolean", &RELATIONS),
        Op::IfIcmpne | Op::Ifne => ("!=", "boolean", &RELATIONS),
        Op::IfIcmplt | Op::Iflt => ("<", "boolean", &RELATIONS),
        Op::IfIcmpge | Op::Ifge => (">=", "boolean", &RELATIONS),
        Op::IfIcmpgt | Op::Ifgt => (">", "boolean", &RELATIONS),
        Op::IfIcmple | Op::Ifle => ("<=", "boolean", &RELATIONS),
        _ => return None,
    })
}

#[derive(Default)]
struct Mutants {
    methods: String,
    sites: usize,
    count: usize,
    most: usize,
}

impl Mutants {
    /// A method for one more site, or `None` when there are enough mutants.
    fn site(&mut self, op: Op) -> Option<(String, &'static str)> {
        let (own, kind, others) = replacements(op)?;
        let others: Vec<&str> = others
            .iter()
            .copied()
            .filter(|&other| other != own)
            .collect();
        let others = &others[..others.len().min(self.most - self.count)];
        if others.is_empty() {
            return None;
        }
        let name = format!("s{}", self.sites);
        let (param, descriptor) = match (kind, op) {
            ("int", _) => ("int", "(II)I"),
            ("long", _) => ("long", "(JJ)J"),
            (_, Op::Ifeq | Op::Ifne | Op::Iflt | Op::Ifge | Op::Ifgt | Op::Ifle) => ("int", "(I)Z"),
            _ => ("int", "(II)Z"),
        };
        let single = descriptor == "(I)Z";
        let params = if single {
            "int a".to_owned()
        } else {
            format!("{param} a, {param} b")
        };
        let right = if single { "0" } else { "b" };
        let _ = write!(self.methods, "  static {kind} {name}({params}) {{ ");
        for other in others {
            let _ = write!(
                self.methods,
                "if (m{}) return a {other} {right}; ",
                self.count
            );
            self.count += 1;
        }
        let _ = writeln!(self.methods, "return a {own} {right}; }}");
        self.sites += 1;
        Some((name, descriptor))
    }

    fn source(&self) -> String {
        let fields: String = (0..self.count)
            .map(|i| format!("  static boolean m{i};\n"))
            .collect();
        format!("public class Mutants {{\n{fields}{}}}\n", self.methods)
            .replace("  static int s", "  public static int s")
            .replace("  static long s", "  public static long s")
            .replace("  static boolean s", "  public static boolean s")
    }
}

/// Comparisons with a constant of a Boolean (`ifeq` after a call) look like those with zero; only methods with
/// enough arithmetic are worth it, so constructors and printing are left alone.
fn skipped(name: &str) -> bool {
    matches!(
        name,
        "<clinit>" | "toString" | "toProperString" | "hashCode"
    )
}

fn mutate(bytes: &[u8], mutants: &mut Mutants) -> Result<Vec<u8>, braid_classfile::Error> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    for index in 0..class.methods().len() {
        let name = class
            .method_at(index)
            .map(|m| m.name().to_str_lossy().into_owned());
        if name.is_some_and(|name| skipped(&name)) || !editor.read_code(index, &mut code)? {
            continue;
        }
        let mut failure = None;
        code.rewrite(|insn, out| {
            let made = insn.op().and_then(|op| mutants.site(op));
            let Some((name, descriptor)) = made else {
                return out.push(insn);
            };
            match editor
                .pool_mut()
                .method("Mutants", name.as_str(), descriptor)
            {
                Ok(method) => out.push(Insn::Invoke(Op::Invokestatic, method)),
                Err(error) => failure = Some(error),
            }
            if let Insn::Jump(_, label) = insn {
                out.push(Insn::Jump(Op::Ifne, label));
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        editor.write_code(index, &mut code, Frames::Maxs)?;
    }
    editor.finish()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, out, most] = &args[..] else {
        return eprintln!("usage: mutants FILE.class OUT N");
    };
    let bytes = std::fs::read(file).expect("the class file can be read");
    let mut mutants = Mutants {
        most: most.parse().expect("a number"),
        ..Mutants::default()
    };
    let mutated = mutate(&bytes, &mut mutants).expect("a class file");
    let class = ClassFile::parse(&mutated).expect("a class file");
    let target = Path::new(out).join(format!("{}.class", class.name()));
    std::fs::create_dir_all(target.parent().expect("a folder")).expect("created");
    std::fs::write(&target, &mutated).expect("written");
    std::fs::write(Path::new(out).join("Mutants.java"), mutants.source()).expect("written");
    println!("{} mutants at {} sites", mutants.count, mutants.sites);
}
