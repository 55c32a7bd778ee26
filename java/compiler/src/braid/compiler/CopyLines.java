package braid.compiler;

import com.sun.tools.javac.util.Position;

/** The lines of a file with copies: those of a copy are the lines of its own patched file. */
final class CopyLines implements Position.LineMap {
    private final Position.LineMap lines;
    private final BulkFile file;

    CopyLines(Position.LineMap lines, BulkFile file) {
        this.lines = lines;
        this.file = file;
    }

    @Override
    public int getLineNumber(int position) {
        int line = lines.getLineNumber(position);
        Copy copy = file.copyAt(position);
        return copy == null ? line : line - lines.getLineNumber(copy.bodyStart) + copy.bodyLine();
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
