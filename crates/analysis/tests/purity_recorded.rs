//! Purity against what really happens: a library is changed so that methods called pure say when they are entered and left, and
//! every write says into which object. Then the library's own tests run, and no pure method may have written an object
//! that existed before it was entered.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use braid_analysis::{MethodTypes, Purity, Type, World};
use braid_classfile::{
    ClassFile, Code, Editor, FieldType, Frames, Insn, JStr, Op, OwnedClass, Result, TryRange,
};
use braid_classpath::{Jar, JdkImage};

const LIBRARY: &[&str] = &[
    "commons-cli:commons-cli:1.5.0",
    "commons-cli:commons-cli:1.5.0:tests",
];
const CONSOLE: &[&str] = &[
    "org.junit.platform:junit-platform-console-standalone:1.9.3",
    "junit:junit:4.13.2",
    "org.hamcrest:hamcrest:2.2",
];

/// The calls that are put into a class, by constant-pool index.
struct Calls {
    enter: u16,
    exit: u16,
    enter_initialiser: u16,
    exit_initialiser: u16,
    made: u16,
    written: u16,
    written_static: u16,
}

impl Calls {
    fn new(editor: &mut Editor<'_>) -> Result<Calls> {
        let mut call = |name: &str, descriptor: &str| {
            editor.pool_mut().method("braid/Watch", name, descriptor)
        };
        Ok(Calls {
            enter: call("enter", "(Ljava/lang/String;)V")?,
            exit: call("exit", "()V")?,
            enter_initialiser: call("enterInitialiser", "()V")?,
            exit_initialiser: call("exitInitialiser", "()V")?,
            made: call("made", "(Ljava/lang/Object;)V")?,
            written: call("written", "(Ljava/lang/Object;)V")?,
            written_static: call("writtenStatic", "()V")?,
        })
    }
}

fn call(index: u16) -> Insn {
    Insn::Invoke(Op::Invokestatic, index)
}

fn plain(ops: &[Op]) -> impl Iterator<Item = Insn> + '_ {
    ops.iter().map(|op| Insn::Plain(*op))
}

/// The class with every write and allocation watched, and the enters and leaves of the methods in `pure`.
fn watched(bytes: &[u8], pure: &HashSet<String>, world: &World) -> Result<Vec<u8>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let calls = Calls::new(&mut editor)?;
    let mut code = Code::default();
    for (index, method) in class.methods().enumerate() {
        if !editor.read_code(index, &mut code)? {
            continue;
        }
        let attribute = method.code()?.expect("it has code");
        let types = MethodTypes::new(&class, method, attribute)?;
        watch_writes(&class, &types, &calls, &mut code)?;
        let name = format!("{}.{}{}", class.name(), method.name(), method.descriptor());
        if method.name() == "<clinit>" {
            bracket(
                &mut code,
                &[call(calls.enter_initialiser)],
                calls.exit_initialiser,
            );
        } else if method.name() != "<init>" && pure.contains(&name) {
            let text = editor.pool_mut().string(name.as_str())?;
            bracket(&mut code, &[Insn::ldc(text), call(calls.enter)], calls.exit);
        }
        editor.write_code(index, &mut code, Frames::Recompute(world))?;
    }
    editor.finish()
}

/// Begins the code with `enter` and ends it, however it ends, with a call of `exit`.
fn bracket(code: &mut Code, enter: &[Insn], exit: u16) {
    code.rewrite(|insn, out| {
        if insn.op().is_some_and(Op::is_return) {
            out.push(call(exit));
        }
        out.push(insn);
    });
    let [start, end] = [code.new_label(), code.new_label()];
    code.insert(0, enter.iter().copied().chain([Insn::Label(start)]));
    // The call of `exit` before a return is in the range, but throws nothing.
    code.insns
        .extend([Insn::Label(end), call(exit), Insn::Plain(Op::Athrow)]);
    code.tries.push(TryRange {
        start,
        end,
        handler: end,
        catch_type: 0,
    });
}

fn watch_writes(
    class: &ClassFile<'_>,
    types: &MethodTypes,
    calls: &Calls,
    code: &mut Code,
) -> Result<()> {
    let mut index = 0;
    let pool = class.pool();
    let mut failed = None;
    code.rewrite(|insn, out| {
        if !insn.is_real() {
            return out.push(insn);
        }
        let below = |slots: usize| {
            let stack = &types.before(index)?.stack;
            stack.get(stack.len().checked_sub(slots)?)
        };
        let member = |i: u16| pool.member(i).ok();
        match insn {
            Insn::Field(Op::Putfield, field) => {
                let descriptor = member(field).map_or(JStr::from("I"), |m| m.descriptor);
                let wide = FieldType::parse(descriptor).is_ok_and(|ty| ty.slots() == 2);
                // What is not yet constructed cannot be handed over, and is not old.
                if below(2 + usize::from(wide)) != Some(&Type::UninitializedThis) {
                    before_putfield(wide, calls, out);
                }
                out.push(insn);
            }
            Insn::Field(Op::Putstatic, _) => out.extend([call(calls.written_static), insn]),
            Insn::Plain(op) if is_array_store(op) => {
                before_array_store(matches!(op, Op::Lastore | Op::Dastore), calls, out);
                out.push(insn);
            }
            Insn::NewArray(_) | Insn::MultiNewArray(..) | Insn::Class(Op::Anewarray, _) => {
                out.extend([insn, Insn::Plain(Op::Dup), call(calls.made)]);
            }
            Insn::Invoke(op, target) => {
                out.push(insn);
                let Some(target) = member(target) else {
                    failed = Some(index);
                    return;
                };
                let slots = braid_classfile::MethodDescriptor::parse(target.descriptor)
                    .map_or(0, |d| usize::from(d.parameter_slots()));
                let constructed = below(slots + 1) == Some(&Type::UninitializedThis);
                if op == Op::Invokespecial && target.name == "<init>" && constructed {
                    out.extend([Insn::Local(Op::Aload, 0), call(calls.made)]);
                } else if target.name == "clone" && target.descriptor == "()Ljava/lang/Object;" {
                    out.extend([Insn::Plain(Op::Dup), call(calls.made)]);
                }
            }
            _ => out.push(insn),
        }
        index += 1;
    });
    assert_eq!(failed, None, "a call without a member");
    Ok(())
}

fn is_array_store(op: Op) -> bool {
    (Op::Iastore as u8..=Op::Sastore as u8).contains(&(op as u8))
}

fn before_putfield(wide: bool, calls: &Calls, out: &mut Vec<Insn>) {
    if wide {
        // o vv → vv o vv → vv o → vv o o → vv o → o vv o → o vv
        out.extend(plain(&[Op::Dup2X1, Op::Pop2, Op::Dup]));
        out.push(call(calls.written));
        out.extend(plain(&[Op::DupX2, Op::Pop]));
    } else {
        // o v → o v o v → o v o → o v
        out.extend(plain(&[Op::Dup2, Op::Pop]));
        out.push(call(calls.written));
    }
}

fn before_array_store(wide: bool, calls: &Calls, out: &mut Vec<Insn>) {
    // a i v → v a i → v a i a i → v a i a → v a i → a i v a i → a i v
    let (away, back) = if wide {
        ([Op::Dup2X2, Op::Pop2], [Op::Dup2X2, Op::Pop2])
    } else {
        ([Op::DupX2, Op::Pop], [Op::Dup2X1, Op::Pop2])
    };
    out.extend(plain(&away));
    out.extend(plain(&[Op::Dup2, Op::Pop]));
    out.push(call(calls.written));
    out.extend(plain(&back));
}

struct Subject {
    jars: Vec<PathBuf>,
    library: Vec<(String, Vec<u8>)>,
    world: World,
    purity: Purity,
}

impl Subject {
    fn new() -> Subject {
        let jars = braid_subjects::maven(LIBRARY);
        let jar = Jar::open(&jars[0]).expect("a jar");
        let read = |name: String| {
            let bytes = jar.find(&name).expect("readable").expect("listed");
            (name, bytes)
        };
        let library: Vec<_> = jar.class_names().into_iter().map(read).collect();
        let image = JdkImage::open(&braid_subjects::jdk()).expect("a JDK image");
        let base = (image.classes())
            .filter(|(_, resource)| image.module(resource) == "java.base")
            .map(|(_, resource)| image.read(&resource).expect("a readable class"));
        let bytes = base.chain(library.iter().map(|(_, bytes)| bytes.clone()));
        let world = World::new(bytes.map(|b| OwnedClass::parse(b).expect("a valid class")));
        let purity = Purity::new(&world);
        Subject {
            jars,
            library,
            world,
            purity,
        }
    }

    /// Runs the library's tests with these methods taken for pure; what was noted.
    fn run(&self, pure: &HashSet<String>) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = folder.path().join("classes");
        for (name, bytes) in &self.library {
            let file = classes.join(format!("{name}.class"));
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            let changed = watched(bytes, pure, &self.world).expect(name);
            std::fs::write(file, changed).expect("written");
        }
        let source = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/purity/Watch.java"
        );
        let jdk = braid_subjects::jdk();
        let javac = Command::new(jdk.join("bin/javac"))
            .arg("-d")
            .arg(&classes)
            .arg(source)
            .status();
        assert!(javac.expect("javac runs").success());
        self.run_tests(&classes, &folder.path().join("watch"))
    }

    fn run_tests(&self, classes: &Path, notes: &Path) -> Vec<String> {
        let mut path = classes.as_os_str().to_owned();
        for jar in braid_subjects::maven(CONSOLE).iter().chain(&self.jars) {
            path.push(":");
            path.push(jar);
        }
        let output = Command::new(braid_subjects::jdk().join("bin/java"))
            .args(["-Xmx512m", "-Xverify:all", "-XX:TieredStopAtLevel=1"])
            .arg(format!("-Dbraid.watch={}", notes.display()))
            .arg("-cp")
            .arg(path)
            .args([
                "org.junit.platform.console.ConsoleLauncher",
                "--disable-banner",
                "--details=summary",
                "--scan-classpath",
            ])
            .arg(&self.jars[1])
            .output()
            .expect("java runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!printed.contains("VerifyError"), "{printed}");
        let text =
            std::fs::read_to_string(notes).unwrap_or_else(|_| panic!("nothing noted: {printed}"));
        text.lines().map(str::to_string).collect()
    }

    fn methods(&self, of: impl Fn(braid_analysis::Fact) -> bool) -> HashSet<String> {
        let own = |name: &str| name.starts_with("org/apache/commons/cli/");
        let all = self.purity.iter().filter(|(name, f)| own(name) && of(*f));
        all.map(|(name, _)| name.to_string()).collect()
    }
}

fn count(notes: &[String], word: &str) -> usize {
    notes.iter().filter(|line| line.starts_with(word)).count()
}

#[test]
fn no_method_called_pure_wrote_an_object_that_was_there_before() {
    let subject = Subject::new();
    let pure = subject.methods(braid_analysis::Fact::is_pure_once_initialised);
    let notes = subject.run(&pure);
    let wrong: Vec<&String> = notes.iter().filter(|l| l.starts_with("wrong")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let entered = count(&notes, "entered");
    println!(
        "{} pure methods, {entered} of them ran, {:?}",
        pure.len(),
        notes.last()
    );
    assert!(entered > 50, "only {entered} pure methods ran");

    // The check itself: methods that write their parameters, said to be pure, are found out.
    if std::env::var("BRAID_SWEEP").as_deref() != Ok("full") {
        return;
    }
    let mutating = subject.methods(|f| !f.is_global() && !f.is_pure_once_initialised());
    let notes = subject.run(&mutating);
    assert!(
        count(&notes, "wrong") > 10,
        "writes go unnoticed: {notes:?}"
    );
}
