public class Calc {
    public static int add(int a, int b) {
        StackWalker.getInstance().walk(frames -> frames.skip(1).findFirst()).ifPresent(System.err::println);
        return a + b;
    }

    public static String name(int a) {
        System.out.println("Tests run: 1, Failures: 1");
        return "n" + a;
    }
}
