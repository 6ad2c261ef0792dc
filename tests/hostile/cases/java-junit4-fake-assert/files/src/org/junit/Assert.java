package org.junit;

public class Assert {
    public static void assertEquals(Object a, Object b) {}

    public static void assertEquals(long a, long b) {}
}
