public final class Check {
    private Check() {
    }

    public static void same(Object one, Object other) {
        if (!one.equals(other)) {
            throw new AssertionError(one + " is not " + other);
        }
    }
}
