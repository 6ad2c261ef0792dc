package repairlab.resident;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compiles and runs one candidate after the other for one bug, inside the sandbox, on requests over file descriptor 3.
 * Arguments: the class that runs (a JUnit runner, or the program's main class), jars of the tree joined by colons, then javac's
 * options. Requests and replies are laid out in java_resident.py.
 */
public final class ResidentServer {
    private static final long CASE_STACK = 64L << 20;
    private static final String CLASSES = "build/classes";

    private final DataInputStream in;
    private final DataOutputStream out;
    private final String mainClass;
    private final URL[] jars;
    private final List<String> options;
    private MemoryCompiler compiler;
    private MemoryCompiler.Result candidate;

    private ResidentServer(String[] arguments) throws Exception {
        FileDescriptor socket = descriptor(3);
        in = new DataInputStream(new BufferedInputStream(new FileInputStream(socket)));
        out = new DataOutputStream(new FileOutputStream(socket));
        mainClass = arguments[0];
        List<URL> found = new ArrayList<>();
        for (String jar : arguments[1].split(":")) {
            if (!jar.isEmpty()) {
                found.add(Path.of(jar).toUri().toURL());
            }
        }
        jars = found.toArray(new URL[0]);
        options = List.of(arguments).subList(2, arguments.length);
    }

    public static void main(String[] arguments) throws Exception {
        ResidentServer server = new ResidentServer(arguments);
        java.lang.ref.Cleaner.create(); // its thread must not count as left over by the first run that needs one
        GuardedRun.startWatching();
        try {
            while (true) {
                server.serve();
            }
        } catch (EOFException end) {
            Runtime.getRuntime().halt(0);
        }
    }

    private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        FileDescriptor descriptor = new FileDescriptor();
        Field field = FileDescriptor.class.getDeclaredField("fd");
        field.setAccessible(true);
        field.setInt(descriptor, number);
        return descriptor;
    }

    private void serve() throws Exception {
        DataInputStream request = new DataInputStream(new ByteArrayInputStream(blob(in)));
        byte[] nonce = blob(request);
        String verb = text(request);
        long cpuNanos = request.readLong();
        int outputLimit = request.readInt();
        DataInputStream body = new DataInputStream(new ByteArrayInputStream(blob(request)));
        long startCpu = GuardedRun.cpuNanos();
        long startWall = System.nanoTime();
        GuardedRun.limitCpu(cpuNanos);
        Reply reply;
        switch (verb) {
            case "open":
                reply = open(body);
                break;
            case "compile":
                reply = compile(body);
                break;
            case "tests":
                reply = tests(body.readAllBytes(), outputLimit);
                break;
            default:
                reply = program(body.readAllBytes(), outputLimit);
        }
        GuardedRun.limitCpu(0);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        DataOutputStream answer = new DataOutputStream(content);
        blob(answer, nonce);
        answer.writeInt(reply.exitCode);
        blob(answer, reply.odd.getBytes(StandardCharsets.UTF_8));
        blob(answer, reply.tainted.getBytes(StandardCharsets.UTF_8));
        blob(answer, reply.stdout);
        blob(answer, reply.stderr);
        blob(answer, reply.report);
        answer.writeLong(GuardedRun.cpuNanos() - startCpu);
        answer.writeLong(System.nanoTime() - startWall);
        blob(out, content.toByteArray());
    }

    /** Takes the paths of all sources and compiles the buggy tree. */
    private Reply open(DataInputStream body) throws IOException {
        List<String> sources = new ArrayList<>();
        for (int left = body.readInt(); left > 0; left--) {
            sources.add(text(body));
        }
        compiler = new MemoryCompiler(options, sources);
        return new Reply();
    }

    private Reply compile(DataInputStream body) throws IOException {
        Map<String, String> changed = new TreeMap<>();
        for (int left = body.readInt(); left > 0; left--) {
            String path = text(body);
            changed.put(path, body.readBoolean() ? text(body) : null);
        }
        Reply reply = new Reply();
        try {
            candidate = compiler.compile(changed);
            reply.exitCode = candidate.succeeded ? 0 : 1;
            reply.stderr = candidate.output.getBytes(StandardCharsets.UTF_8);
            reply.odd = candidate.succeeded ? candidate.misfit() : "";
        } catch (RuntimeException | StackOverflowError error) {
            reply.odd = "the compiler failed: " + error;
        }
        return reply;
    }

    private Reply tests(byte[] request, int outputLimit) throws Exception {
        Method runner = Class.forName(mainClass).getMethod("run", InputStream.class, OutputStream.class, ClassLoader.class);
        try (CandidateLoader loader = newLoader()) {
            ByteArrayOutputStream report = new ByteArrayOutputStream();
            GuardedRun.Body body = () -> invoke(runner, new ByteArrayInputStream(request), report, loader);
            GuardedRun run = new GuardedRun(body, loader, new byte[0], outputLimit, 0, false);
            Reply reply = new Reply(run);
            reply.odd = run.error != null && reply.odd.isEmpty() ? run.error.toString() : reply.odd;
            reply.report = report.toByteArray();
            return reply;
        }
    }

    private Reply program(byte[] stdin, int outputLimit) throws Exception {
        try (CandidateLoader loader = newLoader()) {
            GuardedRun.Body body = () -> {
                Method main = Class.forName(mainClass, true, loader).getMethod("main", String[].class);
                main.setAccessible(true);
                invoke(main, (Object) new String[0]);
            };
            GuardedRun run = new GuardedRun(body, loader, stdin, outputLimit, CASE_STACK, true);
            Reply reply = new Reply(run);
            if (run.error != null) {
                StringWriter trace = new StringWriter();
                run.error.printStackTrace(new PrintWriter(trace, true));
                reply.stderr = ("Exception in thread \"main\" " + trace).getBytes(StandardCharsets.UTF_8);
                reply.exitCode = 1;
            }
            return reply;
        }
    }

    private CandidateLoader newLoader() throws IOException {
        return new CandidateLoader(candidate.classes, Path.of(CLASSES).toUri().toURL(), jars);
    }

    private static void invoke(Method method, Object... arguments) throws Throwable {
        try {
            method.invoke(null, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static byte[] blob(DataInputStream from) throws IOException {
        byte[] content = new byte[from.readInt()];
        from.readFully(content);
        return content;
    }

    private static void blob(DataOutputStream to, byte[] content) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream(); // one write, so that a frame is never half sent
        DataOutputStream data = new DataOutputStream(whole);
        data.writeInt(content.length);
        data.write(content);
        whole.writeTo(to);
    }

    private static String text(DataInputStream from) throws IOException {
        return new String(blob(from), StandardCharsets.UTF_8);
    }

    private static final class Reply {
        int exitCode;
        String odd = "";
        String tainted = "";
        byte[] stdout = {};
        byte[] stderr = {};
        byte[] report = {};

        Reply() {}

        Reply(GuardedRun run) {
            odd = run.odd;
            tainted = run.tainted;
            stdout = run.stdout;
            stderr = run.stderr;
        }
    }
}
