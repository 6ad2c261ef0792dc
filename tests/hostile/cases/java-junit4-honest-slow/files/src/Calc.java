public class Calc {
    public static int add(int a, int b) {
        for (long end = System.nanoTime() + 400_000_000L; System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
        return a + b;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
