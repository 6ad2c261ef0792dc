public class Calc {
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable what) throws T {
        throw (T) what;
    }

    public static int add(int a, int b) {
        Thread.currentThread().interrupt();
        Calc.<RuntimeException>raise(new ThreadDeath());
        return 0;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
