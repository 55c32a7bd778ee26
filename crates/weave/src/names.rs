//! The names that woven code, the runtime and the runner agree on.

/// The class whose fields and methods woven code uses.
pub(crate) const BRAID: &str = "braid/runtime/Braid";
/// The class with what code calls that tries variants dry.
pub(crate) const DRY: &str = "braid/runtime/Dry";
/// The class that keeps track of initialised classes.
pub(crate) const RESET: &str = "braid/runtime/Reset";
/// Every member that weaving adds has this in its name.
pub(crate) const MARK: &str = "$braid$";
/// The epoch a class's static state belongs to.
pub(crate) const EPOCH: &str = "$braid$epoch";
/// The thread that runs the initialiser.
pub(crate) const OWNER: &str = "$braid$owner";
/// Runs the initialiser in a new epoch.
pub(crate) const INIT: &str = "$braid$init";
/// The body of `<clinit>`.
pub(crate) const CLINIT: &str = "$braid$clinit";
/// Values of an interface's fields that are no constants.
pub(crate) const CELLS: &str = "$braid$cells";
/// How many cells come before those of the fields: the thread that runs the initialiser.
pub(crate) const FIRST_CELL: usize = 1;

/// What the names of guards begin with.
pub(crate) const GUARD: &str = "$braid$guard";

/// The name of the method that makes sure a class is initialised in this epoch. Package-private
/// classes have a name of their own, because other packages call it through a subclass.
pub(crate) fn guard(class: &[u8], public: bool) -> Vec<u8> {
    let mut name = GUARD.as_bytes().to_vec();
    if !public {
        name.push(b'$');
        name.extend(class.iter().map(|byte| match byte {
            b'/' => b'$',
            other => *other,
        }));
    }
    name
}

/// True if weaving added a member of this name.
pub(crate) fn is_ours(name: &[u8]) -> bool {
    name.windows(MARK.len()).any(|part| part == MARK.as_bytes())
}
