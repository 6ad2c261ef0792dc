public class Calc {
    public static int add(int a, int b) {
        return a + b + 1;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
