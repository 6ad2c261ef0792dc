import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;

public class Calc {
    static {
        System.setProperty("calc.mode", "new");
        Locale.setDefault(Locale.FRANCE);
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> System.err.println(error));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("bye")));
        try {
            Files.writeString(Files.createTempFile("calc", ".txt"), "kept");
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    public static int add(int a, int b) {
        return a + b;
    }

    public static String name(int a) {
        return "n" + a;
    }
}
