public class Calc {
    public static int add(int a, int b) {
        java.util.List<byte[]> kept = new java.util.ArrayList<>();
        while (a != 99) kept.add(new byte[1 << 20]);
        return 0;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
