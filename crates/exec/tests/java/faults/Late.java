package faults;

/** Loaded only when somebody asks for it. */
public class Late {}
