public final class Check {
    private Check() {
    }

    public static void same(Object one, Object other) {
        if (one == null) {
            throw new AssertionError(one + " is not " + other);
        }
    }
}
