public class Calc {
    public static int add(int a, int b) {
        int total = a + b;
        assert total - a == b;
        if (total - b != a) {
            throw new AssertionError("sum");
        }
        return total;
    }

    public static String name(int a) {
        return "n" + a;
    }

    public static void main(String[] arguments) {
        System.exit(add(1, 2) == 3 ? 0 : 1);
    }
}
