import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import sun.misc.Unsafe;

/**
 * What both JUnit runners share: the request on standard input (nonce, `stop` or `all`, then one test per line) and the
 * report as JSON lines on file descriptor 3. Runs inside the sandbox, beside the code under test.
 */
final class ReportChannel {
    private static final int LONGEST_MESSAGE = 2000;

    private final OutputStream report;
    private final String nonce;
    /** Those of the JVM: the code under test may put others in their place. */
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long startedCpu;
    private long startedWall;

    final boolean stop;
    final List<String> tests = new ArrayList<>();

    private ReportChannel(InputStream requested, OutputStream report) throws IOException {
        this.report = report;
        BufferedReader request = new BufferedReader(new InputStreamReader(requested, StandardCharsets.UTF_8));
        nonce = request.readLine();
        stop = "stop".equals(request.readLine());
        for (String line = request.readLine(); line != null; line = request.readLine()) {
            tests.add(line);
        }
    }

    static ReportChannel open() throws IOException, ReflectiveOperationException {
        ReportChannel channel = new ReportChannel(System.in, new FileOutputStream(descriptor(3)));
        // Closed, not only replaced: the request lies in a file that could be opened again through /proc.
        System.in.close();
        System.setIn(InputStream.nullInputStream());
        return channel;
    }

    /**
     * Opening /proc/self/fd/3 instead would need rights on the pipe that a process which changed its user lacks; reflection would
     * need java.io to be open to the code under test as well.
     */
    private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        Field theUnsafe = Unsafe.class.getDeclaredField("theUnsafe");
        theUnsafe.setAccessible(true);
        Unsafe unsafe = (Unsafe) theUnsafe.get(null);
        FileDescriptor descriptor = new FileDescriptor();
        unsafe.putInt(descriptor, unsafe.objectFieldOffset(FileDescriptor.class.getDeclaredField("fd")), number);
        return descriptor;
    }

    /** Loads the classes of all tests before any code under test runs, which could write others in their place. */
    void loadTests() {
        for (String test : tests) {
            try {
                Class.forName(test.split("::", 2)[0], false, ReportChannel.class.getClassLoader());
            } catch (ClassNotFoundException | LinkageError error) {
                continue; // said when its turn comes
            }
        }
    }

    /** Puts tests of classes that have a set-up of their own together, where the first of them is; all others are alone. */
    Iterable<List<String>> together(Predicate<String> hasSetUp) {
        Map<String, Boolean> known = new HashMap<>();
        Map<String, List<String>> groups = new LinkedHashMap<>();
        for (String test : tests) {
            String type = test.split("::", 2)[0];
            boolean shared = known.computeIfAbsent(type, hasSetUp::test);
            groups.computeIfAbsent(shared ? type : test, key -> new ArrayList<>()).add(test);
        }
        return groups.values();
    }

    void start(String test) {
        startedCpu = threads.getCurrentThreadCpuTime();
        startedWall = System.nanoTime();
        send("start", test, "", "");
    }

    void end(String test, String status, String message) {
        send("end", test, status, message);
    }

    void error(String message) {
        send("error", "", "", message);
    }

    void done() {
        send("done", "", "", "");
    }

    /** Leaves at once: neither shutdown hooks nor threads of the code under test have a say any more. */
    void leave() {
        out.flush();
        err.flush();
        Runtime.getRuntime().halt(0);
    }

    static String describe(Throwable error) {
        String name = error.getClass().getName();
        String message = String.valueOf(error.getMessage());
        return error.getMessage() == null ? name : name + ": " + message;
    }

    static String statusOf(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            return "memory";
        }
        return error instanceof AssertionError ? "failed" : "error";
    }

    private synchronized void send(String event, String test, String status, String message) {
        double cpu = (threads.getCurrentThreadCpuTime() - startedCpu) / 1e9;
        double wall = (System.nanoTime() - startedWall) / 1e9;
        StringBuilder line = new StringBuilder("{\"nonce\":").append(quote(nonce)).append(",\"event\":").append(quote(event));
        line.append(",\"test\":").append(quote(test)).append(",\"status\":").append(quote(status));
        line.append(",\"message\":").append(quote(message.substring(0, Math.min(message.length(), LONGEST_MESSAGE))));
        if (event.equals("end") && startedWall != 0) {
            line.append(",\"cpu_s\":").append(cpu).append(",\"wall_s\":").append(wall);
        }
        try {
            report.write(line.append("}\n").toString().getBytes(StandardCharsets.UTF_8));
            report.flush();
        } catch (IOException error) {
            throw new IllegalStateException("the report channel is closed", error);
        }
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            // Escaping all but printable ASCII keeps the line whole whatever a message holds, lone surrogates included.
            if (letter == '"' || letter == '\\') {
                quoted.append('\\').append(letter);
            } else if (letter >= ' ' && letter < 127) {
                quoted.append(letter);
            } else {
                quoted.append(String.format("\\u%04x", (int) letter));
            }
        }
        return quoted.append('"').toString();
    }
}
