package faults;

/** Needed by the signature of a test that cannot be loaded without it. */
public class Never {}
