//! Java programs by chance, with patches by chance.

/// Makes the text of one class.
pub(crate) struct Generated {
    /// How many lines have a patch already.
    patches: u32,
    lines: Vec<String>,
    /// Names of variables that were declared on the way.
    names: u32,
}

/// One line as it is written: every expression has a number, and the one with the changed number is another one.
struct Line {
    changed: Option<u32>,
    next: u32,
}

const HEAD: &str = "
import java.util.Arrays;

public class Subject {
    static int[] cells = new int[4];
    static int count;
    static final StringBuilder LOG = new StringBuilder();
    static void reset() { cells = new int[4]; count = 0; LOG.setLength(0); }
    static String dump() { return Arrays.toString(cells) + count + LOG; }
    static int twice(int a) { return 2 * a; }
    static int least(int[] all) { int l = all[0]; for (int v : all) { if (v < l) { l = v; } } return l; }
    static int touch(int a) { LOG.append(a % 10); return a; }
    static void check(int a) { if ((a & 15) == 9) { throw new IllegalStateException(\"bad\" + a); } }
    static class Box {
        int value;
        Box next;
        Box(int value) { this.value = value; }
        int get() { return value; }
        int far() { return next.value; }
        void set(int v) { value = v; }
    }
    static class Odd extends Box {
        Odd(int value) { super(value); }
        int get() { return value + 1; }
    }
";

impl Generated {
    pub(crate) fn text(seed: u64) -> String {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut generated = Self {
            patches: 0,
            lines: vec![HEAD.to_owned()],
            names: 0,
        };
        for method in 0..12 {
            generated.method(&mut random, method);
        }
        generated.lines.push("}".to_owned());
        generated.lines.join("\n")
    }

    fn method(&mut self, random: &mut fastrand::Rng, number: u32) {
        self.lines.push(format!(
            "    public static Object m{number}(int a, int b) {{"
        ));
        let start = "        int x = a, y = b, z = 3; long l = a; double d = b; String s = a > 4 ? null : \"s\" + b;
        int[] arr = {a, b, 1, 2}; Box p = new Box(a), q = new Odd(b), r = a > 2 ? q : b > 2 ? null : p;
        if (a != 1) { p.next = q; }";
        self.lines.push(start.to_owned());
        self.block(random, 0, false);
        let end = "        return x + \",\" + y + \",\" + z + \",\" + l + \",\" + d + \",\" + s + \",\" + (r == q) + (r == p) + Arrays.toString(arr) + p.value + q.value;
    }";
        self.lines.push(end.to_owned());
    }

    fn block(&mut self, random: &mut fastrand::Rng, depth: u32, looping: bool) {
        for _ in 0..random.u32(1..5) {
            self.statement(random, depth, looping);
        }
    }

    fn statement(&mut self, random: &mut fastrand::Rng, depth: u32, looping: bool) {
        let kind = random.u32(..if depth < 3 { 18 } else { 12 });
        self.names += 1;
        let name = self.names;
        match kind {
            12 | 13 => {
                self.line(random, false, |line, r| {
                    format!("if ({}) {{", line.condition(r, 2))
                });
                self.block(random, depth + 1, looping);
                if random.bool() {
                    self.lines.push("} else {".to_owned());
                    self.block(random, depth + 1, looping);
                }
                self.lines.push("}".to_owned());
            }
            14 | 15 => {
                self.line(random, false, |line, r| {
                    let most = line.int(r, 2);
                    format!("for (int i{name} = 0; i{name} < ({most} & 3); i{name}++) {{")
                });
                self.block(random, depth + 1, true);
                self.lines.push("}".to_owned());
            }
            16 => {
                self.lines.push("try {".to_owned());
                self.block(random, depth + 1, looping);
                let caught = [
                    "RuntimeException",
                    "ArithmeticException",
                    "IllegalStateException",
                ];
                let caught = caught[random.usize(..3)];
                self.lines.push(format!("}} catch ({caught} e{name}) {{"));
                self.block(random, depth + 1, looping);
                if random.bool() {
                    self.lines.push("} finally {".to_owned());
                    self.block(random, depth + 1, false);
                }
                self.lines.push("}".to_owned());
            }
            17 => {
                self.line(random, false, |line, r| {
                    format!("switch ({} & 3) {{", line.int(r, 1))
                });
                for case in 0..random.u32(1..4) {
                    self.lines.push(format!("case {case}:"));
                    self.block(random, depth + 1, false);
                    if random.bool() {
                        self.lines.push("break;".to_owned());
                    }
                }
                self.lines.push("}".to_owned());
            }
            _ => self.line(random, true, |line, r| line.simple(r, looping)),
        }
    }

    /// A line, perhaps with a patch.
    fn line(
        &mut self,
        random: &mut fastrand::Rng,
        simple: bool,
        write: impl Fn(&mut Line, &mut fastrand::Rng) -> String,
    ) {
        let seed = random.u64(..);
        let written = |changed: Option<u32>| {
            let mut line = Line { changed, next: 0 };
            let text = write(&mut line, &mut fastrand::Rng::with_seed(seed));
            (text, line.next)
        };
        let (text, count) = written(None);
        if random.u32(..3) == 0 {
            self.lines.push(text);
            return;
        }
        self.patches += 1;
        let mut guard = Line {
            changed: None,
            next: 0,
        };
        let patched = match random.u32(..8) {
            0 if simple => ";".to_owned(),
            1 => format!(
                "if ({}) {{ return {}; }} {text}",
                guard.condition(random, 1),
                guard.int(random, 1)
            ),
            2 => format!(
                "if ({}) {{ {} }} {text}",
                guard.condition(random, 1),
                guard.simple(random, false)
            ),
            3 if simple => format!("if ({}) {{ {text} }}", guard.condition(random, 1)),
            4 if simple => format!(
                "try {{ {text} }} catch (RuntimeException w) {{ x = {}; }}",
                guard.int(random, 1)
            ),
            _ => written(Some(random.u32(..count.max(1)))).0,
        };
        let number = self.patches;
        self.lines.push(format!("{text} //@{number} {patched}"));
    }
}

impl Line {
    /// What an expression is made with.
    fn begin(&mut self, random: &mut fastrand::Rng) -> fastrand::Rng {
        let seed = random.u64(..);
        let number = self.next;
        self.next += 1;
        match self.changed == Some(number) {
            true => fastrand::Rng::with_seed(seed ^ 0x5555_1234),
            false => fastrand::Rng::with_seed(seed),
        }
    }

    fn simple(&mut self, r: &mut fastrand::Rng, looping: bool) -> String {
        match r.u32(..20) {
            0..6 => {
                let to = ["x", "y", "z", "count"][r.usize(..4)];
                let op = ["=", "+=", "^=", "-="][r.usize(..4)];
                format!("{to} {op} {};", self.int(r, 3))
            }
            6 => format!("cells[{} & 3] = {};", self.int(r, 1), self.int(r, 2)),
            7 => format!("arr[{} & 3] += {};", self.int(r, 1), self.int(r, 2)),
            8 => format!("l = {};", self.long(r)),
            9 => format!("d = {};", self.double(r)),
            10 => format!(
                "s = {} ? {} : {};",
                self.condition(r, 1),
                self.text(r),
                self.text(r)
            ),
            11 => format!(
                "r = {} ? {} : {};",
                self.condition(r, 1),
                self.object(r),
                self.object(r)
            ),
            12 => format!("check({});", self.int(r, 1)),
            13 => format!("touch({});", self.int(r, 2)),
            14 => format!("r.set({});", self.int(r, 2)),
            15 if looping => format!("if ({}) break;", self.condition(r, 2)),
            16 if looping => format!("if ({}) continue;", self.condition(r, 2)),
            17 => format!("if ({}) return {};", self.condition(r, 2), self.int(r, 1)),
            18 => format!("x = y; y = {};", self.int(r, 1)),
            _ => format!("if ({}) x++;", self.condition(r, 2)),
        }
    }

    fn int(&mut self, random: &mut fastrand::Rng, depth: u32) -> String {
        let r = &mut self.begin(random);
        let simple = ["x", "y", "z", "a", "b", "count", "1", "2", "5", "100", "-1"];
        if depth == 0 || r.u32(..4) == 0 {
            return simple[r.usize(..simple.len())].to_owned();
        }
        let below = depth - 1;
        match r.u32(..16) {
            0..6 => {
                let ops = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
                let op = ops[r.usize(..ops.len())];
                format!("({} {op} {})", self.int(r, below), self.int(r, below))
            }
            6 => format!(
                "({} ? {} : {})",
                self.condition(r, below),
                self.int(r, below),
                self.int(r, below)
            ),
            7 => format!("Math.max({}, {})", self.int(r, below), self.int(r, below)),
            8 => format!("twice({})", self.int(r, below)),
            9 => format!("arr[{} & 3]", self.int(r, below)),
            10 => format!("cells[{}]", self.int(r, below)),
            11 => ["p.get()", "q.get()", "r.get()", "r.far()", "p.next.value"][r.usize(..5)]
                .to_owned(),
            12 => "least(arr)".to_owned(),
            13 => format!("touch({})", self.int(r, below)),
            14 => format!("(int) {}", self.double(r)),
            _ => format!("(int) ({})", self.long(r)),
        }
    }

    fn long(&mut self, random: &mut fastrand::Rng) -> String {
        let r = &mut self.begin(random);
        let op = ["+", "-", "*", "/", "^"][r.usize(..5)];
        match r.u32(..3) {
            0 => format!("l {op} {}", self.int(r, 1)),
            1 => format!("{} {op} l", self.int(r, 1)),
            _ => format!("l {op} {}L", r.u32(..9)),
        }
    }

    fn double(&mut self, random: &mut fastrand::Rng) -> String {
        let r = &mut self.begin(random);
        let op = ["+", "-", "*", "/"][r.usize(..4)];
        match r.u32(..4) {
            0 => format!("(d {op} {})", self.int(r, 1)),
            1 => format!("Math.min(d, (double) {})", self.int(r, 1)),
            2 => "(d < 0 ? -d : d)".to_owned(),
            _ => format!("(d {op} 0.5)"),
        }
    }

    fn text(&mut self, random: &mut fastrand::Rng) -> String {
        let r = &mut self.begin(random);
        ["null", "s", "\"t\"", "\"u\"", "LOG.toString()"][r.usize(..5)].to_owned()
    }

    fn object(&mut self, random: &mut fastrand::Rng) -> String {
        let r = &mut self.begin(random);
        ["p", "q", "r", "r.next", "null", "new Box(x)"][r.usize(..6)].to_owned()
    }

    fn condition(&mut self, random: &mut fastrand::Rng, depth: u32) -> String {
        let r = &mut self.begin(random);
        let below = depth.saturating_sub(1);
        match r.u32(..if depth == 0 { 7 } else { 11 }) {
            0..4 => {
                let op = ["<", "<=", "==", "!=", ">", ">="][r.usize(..6)];
                format!("{} {op} {}", self.int(r, below), self.int(r, below))
            }
            4 => ["s == null", "s != null"][r.usize(..2)].to_owned(),
            5 => ["r == q", "r != p", "r == null", "r instanceof Odd"][r.usize(..4)].to_owned(),
            6 => format!("d > {}", self.int(r, below)),
            7 | 8 => format!(
                "({} && {})",
                self.condition(r, below),
                self.condition(r, below)
            ),
            9 => format!(
                "({} || {})",
                self.condition(r, below),
                self.condition(r, below)
            ),
            _ => format!("!({})", self.condition(r, below)),
        }
    }
}
