package braid.runtime;

/** System properties. */
final class SystemProperties implements Epochs.Part {
    private final Contents contents = new Contents(System.getProperties());

    @Override
    public void restore() {
        if (System.getProperties() != contents.table()) {
            System.setProperties(contents.table());
        }
        contents.restore();
    }
}
