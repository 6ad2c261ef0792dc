import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class Calc {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);

    public static int add(int a, int b) {
        try {
            return POOL.submit(() -> a + b).get();
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    public static String name(int a) {
        return "n" + a;
    }
}
