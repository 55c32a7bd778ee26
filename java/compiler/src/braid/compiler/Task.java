package braid.compiler;

/** Something to parse: a whole patched file. */
class Task {
    final Patch patch;
    final Edit edit;

    Task(Patch patch, Edit edit) {
        this.patch = patch;
        this.edit = edit;
    }

    int size() {
        return edit.length();
    }

    String text() {
        return edit.patched();
    }
}
