package org.junit.jupiter.api;

public class Assertions {
    public static void assertEquals(int expected, int actual) {}

    public static void assertEquals(long expected, long actual) {}

    public static void assertEquals(Object expected, Object actual) {}

    public static void assertTrue(boolean condition) {}

    public static void assertFalse(boolean condition) {}
}
