public class Calc {
    public static int add(int a, int b) {
        return 0;
    }

    public static String name(int a) {
        return "";
    }
}
