package org.junit;

public class Assert {
    public static void assertEquals(long expected, long actual) {}

    public static void assertEquals(Object expected, Object actual) {}

    public static void assertTrue(boolean condition) {}

    public static void assertFalse(boolean condition) {}
}
