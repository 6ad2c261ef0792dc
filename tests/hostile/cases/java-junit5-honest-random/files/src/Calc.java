import java.util.concurrent.ThreadLocalRandom;

public class Calc {
    public static int add(int a, int b) {
        return ThreadLocalRandom.current().nextBoolean() ? a + b : b - -a;
    }

    public static String name(int a) {
        return ThreadLocalRandom.current().nextBoolean() ? "n" + a : "n".concat(String.valueOf(a));
    }
}
