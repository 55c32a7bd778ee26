//! Random Java programs with options: the generator, apart from any oracle.

use super::forms::{DECLARATIONS, FORMS};
use std::fmt::Write;

/// A small reproducible random number generator.
pub(crate) struct Rng(u64);

impl Rng {
    /// From a seed.
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }
}

/// A program: class name, number of options, source.
pub(crate) struct Program {
    pub name: String,
    pub options: usize,
    pub source: String,
}

struct Generator {
    rng: Rng,
    options: usize,
    out: String,
    indent: usize,
    locals: usize,
    loops: usize,
    methods: usize,
    method: usize,
    fuel: i32,
}

/// The program with this number.
pub(crate) fn program(number: u64) -> Program {
    let mut rng = Rng::new(number + 1);
    let options = 2 + rng.below(4) as usize;
    let mut generator = Generator {
        rng,
        options,
        out: String::new(),
        indent: 1,
        locals: 0,
        loops: 0,
        methods: 3,
        method: 0,
        fuel: 0,
    };
    let name = format!("P{number}");
    generator.class(&name);
    Program {
        name,
        options,
        source: generator.out,
    }
}

impl Generator {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn class(&mut self, name: &str) {
        let _ = writeln!(self.out, "import java.util.*;\npublic class {name} {{");
        for option in 0..self.options {
            self.line(&format!("public static boolean o{option};"));
        }
        self.line("static int g0 = 3, g1; static long gl; static double gd = 0.5; static String gs = \"\";");
        self.line("static int[] arr = {5, 1, 4, 2, 8, 0, 7, 3}; static byte[] bytes = new byte[4]; static Object[] objs = new Object[3];");
        self.line("static List<Integer> list = new ArrayList<>(); static Map<String, Integer> map = new HashMap<>();");
        self.line("static abstract class N { int f; N next; N(int f) { this.f = f; } abstract int v(int x); }");
        self.line("static class A extends N { A(int f) { super(f); } int v(int x) { f += x; return f * 2; } }");
        self.line("static class B extends N { B(int f) { super(f + 1); } int v(int x) { if (x > 50) throw new IllegalStateException(\"B\" + x); return f - x; } }");
        self.line("static class Lazy { static int z = g0 * 2; static { g1 += 100; } static int get() { return z++; } }");
        self.line("static N node = new A(1), other = new B(2);");
        self.line("static int depth;");
        for declaration in DECLARATIONS {
            self.line(declaration);
        }
        for method in 0..self.methods {
            self.method(method);
        }
        self.line("public static void main(String[] args) {");
        self.indent += 1;
        (self.method, self.locals, self.fuel) = (0, 0, 14);
        self.line("int a = 2, b = 7;");
        self.statements(8, 2);
        self.line("System.out.println(a + \" \" + b + \" \" + g0 + \" \" + g1 + \" \" + gl + \" \" + gd + \" \" + gs);");
        self.line("System.out.println(Arrays.toString(arr) + Arrays.toString(bytes) + list + new TreeMap<>(map) + node.f + other.f);");
        self.indent -= 1;
        self.line("}");
        self.out.push_str("}\n");
    }

    fn method(&mut self, method: usize) {
        self.line(&format!("static int m{method}(int a, int b) {{"));
        self.indent += 1;
        (self.method, self.locals, self.fuel) = (method + 1, 0, 7);
        self.line("if (depth > 6) return b; depth++; try {");
        self.statements(4, 2);
        let result = self.expr(2);
        self.line(&format!("return {result};"));
        self.line("} finally { depth--; }");
        self.indent -= 1;
        self.line("}");
    }

    fn statements(&mut self, count: u64, depth: u64) {
        let count = 1 + self.rng.below(count);
        for _ in 0..count {
            if self.fuel <= 0 {
                return;
            }
            self.fuel -= 1;
            self.statement(depth);
        }
    }

    fn block(&mut self, depth: u64) {
        self.indent += 1;
        let locals = self.locals;
        self.statements(3, depth - 1);
        self.locals = locals;
        self.indent -= 1;
    }

    /// One of the templates, filled in.
    fn form(&mut self) {
        self.loops += 1;
        let mut parts = FORMS[self.rng.below(FORMS.len() as u64) as usize].split('@');
        let mut text = parts.next().unwrap_or("").to_owned();
        let variable = self.variable();
        for part in parts {
            match &part[..1] {
                "c" | "d" => text += &self.cond(),
                "x" | "y" => text += &self.expr(1),
                "v" => text += variable,
                _ => text += &self.loops.to_string(),
            }
            text += &part[1..];
        }
        self.line(&text);
    }

    fn statement(&mut self, depth: u64) {
        if self.rng.below(3) == 0 {
            return self.form();
        }
        let kind = self.rng.below(if depth > 0 { 22 } else { 14 });
        match kind {
            0 | 1 => {
                let (target, value) = (self.variable(), self.expr(2));
                self.line(&format!("{target} = {value};"));
            }
            2 => {
                let (index, value) = (self.expr(1), self.expr(2));
                let bound = if self.rng.below(4) == 0 { "% 9" } else { "& 7" };
                self.line(&format!("arr[({index}) {bound}] = {value};"));
            }
            3 => {
                let value = self.expr(2);
                let target = ["g0", "g1"][self.rng.below(2) as usize];
                self.line(&format!("{target} += {value};"));
            }
            4 => {
                let value = self.expr(1);
                self.line(&format!(
                    "gs = gs + ({value}) + \";\"; if (gs.length() > 40) gs = gs.substring(20);"
                ));
            }
            5 => {
                let value = self.expr(2);
                self.line(&format!("System.out.println(\"p\" + ({value}));"));
            }
            6 => {
                let value = self.expr(1);
                let target = ["node", "other"][self.rng.below(2) as usize];
                self.line(&format!("{target}.f = {value};"));
            }
            7 => {
                let cond = self.cond();
                self.line(&format!(
                    "if ({cond}) {{ N t = node; node = other; other = t; }}"
                ));
            }
            8 => {
                let (cond, value) = (self.cond(), self.expr(1));
                self.line(&format!("node = {cond} ? new A({value}) : new B(a);"));
            }
            9 => {
                let value = self.expr(1);
                self.line(&format!(
                    "list.add({value}); if (list.size() > 6) list.remove(0);"
                ));
            }
            10 => {
                let (key, value) = (self.expr(1), self.expr(1));
                self.line(&format!(
                    "map.merge(\"k\" + (({key}) & 3), {value}, Integer::sum);"
                ));
            }
            11 => {
                let value = self.expr(2);
                self.line(&format!(
                    "gl = gl * 31 + ({value}) * 4294967297L; gd = gd * 0.5 + ({value});"
                ));
            }
            12 => {
                let value = self.expr(1);
                self.line(&format!("bytes[({value}) & 3] += (byte) ({value}); objs[(a & 1) + 1] = ({value}) > 3 ? (Object) \"s\" : (Object) 7;"));
            }
            13 => {
                let cond = self.cond();
                self.line(&format!(
                    "if ({cond}) throw new RuntimeException(\"t\" + a);"
                ));
            }
            14 | 15 => {
                let cond = self.cond();
                self.line(&format!("if ({cond}) {{"));
                self.block(depth);
                if self.rng.below(2) == 0 {
                    self.line("} else {");
                    self.block(depth);
                }
                self.line("}");
            }
            16 | 17 => self.counted_loop(depth),
            18 | 19 => self.guarded(depth),
            20 => {
                let value = self.expr(1);
                self.line(&format!("switch (({value}) & 3) {{"));
                for case in 0..3 {
                    self.line(&format!("case {case}:"));
                    self.block(depth);
                    if self.rng.below(3) > 0 {
                        self.line("break;");
                    }
                }
                self.line("default: a++; }");
            }
            _ => {
                let target = self.variable();
                self.line(&format!("{target} = objs[1] instanceof String ? ((String) objs[1]).length() : (Integer) (objs[2] == null ? 4 : (objs[2] instanceof Integer ? objs[2] : 9));"));
            }
        }
    }

    fn counted_loop(&mut self, depth: u64) {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let bound = if self.rng.below(3) == 0 {
            let cond = self.cond();
            format!("({cond} ? 2 : 4)")
        } else {
            (2 + self.rng.below(3)).to_string()
        };
        self.line(&format!(
            "for (int {name} = 0; {name} < {bound}; {name}++) {{"
        ));
        if self.rng.below(3) == 0 {
            let (cond, what) = (
                self.cond(),
                ["break", "continue"][self.rng.below(2) as usize],
            );
            self.line(&format!("  if ({cond} && {name} > 0) {what};"));
        }
        self.line(&format!("  a += {name};"));
        self.block(depth);
        self.line("}");
    }

    fn guarded(&mut self, depth: u64) {
        let caught = [
            "ArithmeticException",
            "RuntimeException",
            "ArrayIndexOutOfBoundsException",
            "IllegalStateException",
        ][self.rng.below(4) as usize];
        self.line("try {");
        self.block(depth);
        self.line(&format!(
            "}} catch ({caught} e) {{ gs = gs + e.getMessage(); b += 3;"
        ));
        if self.rng.below(3) == 0 {
            self.line("} finally { g1 ^= 5;");
        }
        self.line("}");
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b"][self.rng.below(2) as usize]
    }

    fn cond(&mut self) -> String {
        let option = self.rng.below(self.options as u64);
        match self.rng.below(6) {
            0 | 1 => format!("o{option}"),
            2 => format!("!o{option}"),
            3 => {
                let value = self.expr(1);
                format!("(o{option} && ({value}) > 2)")
            }
            _ => {
                let (x, y) = (self.expr(1), self.expr(1));
                let op = ["<", "==", ">=", "!="][self.rng.below(4) as usize];
                format!("(({x}) {op} ({y}))")
            }
        }
    }

    fn expr(&mut self, depth: u64) -> String {
        let leaf = depth == 0 || self.rng.below(4) == 0;
        if leaf {
            return match self.rng.below(8) {
                0 | 1 => self.variable().to_owned(),
                2 => "g0".to_owned(),
                3 => "node.f".to_owned(),
                4 => format!("arr[{}]", self.rng.below(8)),
                5 => format!("(o{} ? 1 : 0)", self.rng.below(self.options as u64)),
                6 => "gs.length()".to_owned(),
                _ => (self.rng.below(12) as i64 - 3).to_string(),
            };
        }
        let (x, y) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.rng.below(16) {
            0 | 1 => format!("({x} + {y})"),
            2 => format!("({x} - {y})"),
            3 => format!("({x} * {y})"),
            4 => format!("({x} / {y})"),
            5 => format!("({x} % {y})"),
            6 => format!("({x} ^ {y} << 2)"),
            7 => format!("({x} >> ({y} & 3))"),
            8 => {
                let cond = self.cond();
                format!("({cond} ? {x} : {y})")
            }
            9 if self.method < self.methods => format!("m{}({x}, {y})", self.method),
            9 => format!("m0(({x}) & 3, {y})"),
            10 => format!("node.v({x})"),
            11 => format!("(int) (gl + {x})"),
            12 => format!("(int) (gd * {y})"),
            13 => "(Lazy.get() & 15)".to_owned(),
            14 => format!("(list.isEmpty() ? {x} : list.get(({y}) & 1))"),
            _ => format!("(0 + map.getOrDefault(\"k\" + ({x}), {y}))"),
        }
    }
}
