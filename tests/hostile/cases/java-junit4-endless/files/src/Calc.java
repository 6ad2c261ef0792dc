public class Calc {
    public static int add(int a, int b) {
        while (a != 99) Thread.onSpinWait();
        return 0;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
