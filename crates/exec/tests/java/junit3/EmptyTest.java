package junit3;

import junit.framework.TestCase;

/** Has no tests, which JUnit 3 reports as a warning; we as nothing. */
public class EmptyTest extends TestCase {}
