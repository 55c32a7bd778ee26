package braid.compiler;

import com.sun.tools.javac.util.Position;

/**
 * The lines of a file with copies: those of a copy are the lines of its own patched file. The code of a constructor
 * begins with the call of another one; behind it, so asked for after it, may come initialisers of the class.
 */
final class CopyLines implements Position.LineMap {
    private final Position.LineMap lines;
    private final BulkFile file;
    private Copy last;

    CopyLines(Position.LineMap lines, BulkFile file) {
        this.lines = lines;
        this.file = file;
    }

    @Override
    public int getLineNumber(int position) {
        Copy copy = file.copyAt(position);
        if (copy == null && last != null && last.method.isConstructor()) {
            return last.edit.lineOf(file.originalPosition(position));
        }
        int line = lines.getLineNumber(position);
        if (copy == null) {
            return line;
        }
        last = copy;
        return line - lines.getLineNumber(copy.bodyStart) + copy.bodyLine();
    }

    @Override
    public long getLineNumber(long position) {
        return getLineNumber((int) position);
    }

    @Override
    public int getStartPosition(int line) {
        return lines.getStartPosition(line);
    }

    @Override
    public long getStartPosition(long line) {
        return lines.getStartPosition(line);
    }

    @Override
    public int getPosition(int line, int column) {
        return lines.getPosition(line, column);
    }

    @Override
    public long getPosition(long line, long column) {
        return lines.getPosition(line, column);
    }

    @Override
    public int getColumnNumber(int position) {
        return lines.getColumnNumber(position);
    }

    @Override
    public long getColumnNumber(long position) {
        return lines.getColumnNumber(position);
    }
}
