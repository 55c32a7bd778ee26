//! scratch
use braid_classfile::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let image = braid_classpath::JdkImage::open(a[1].as_ref()).unwrap();
    let bytes = image.find(&a[2]).unwrap().unwrap();
    std::fs::write("/tmp/classfile/x/A.class", &bytes).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let mut e = Editor::new(&class);
    let mut code = Code::default();
    for m in 0..class.methods().len() {
        if e.read_code(m, &mut code).unwrap() {
            e.write_code(m, &mut code, Frames::Keep).unwrap();
        }
    }
    std::fs::write("/tmp/classfile/x/B.class", e.finish().unwrap()).unwrap();
}
