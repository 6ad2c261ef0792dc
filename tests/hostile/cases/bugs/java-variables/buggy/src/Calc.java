public class Calc {
    public static int add(int a, int b) {
        return a + b + 1;
    }

    public static int parse(String text) {
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    public static String name(int a) {
        return "n" + a;
    }
}
