package repairlab.resident;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A stdin/stdout program: runs its main class as `java` would, with new static state each time. */
final class Program {
    /** Less than a JVM of its own gets: frames of code that was compiled in earlier runs are smaller. */
    private static final long STACK = 48L << 20;
    private static final String CLASSES = "build/classes";

    private final String mainClass;
    private final URL[] jars;

    /** Takes the main class and the jars of the tree, joined by colons. */
    Program(String mainClass, String classPath) throws MalformedURLException {
        this.mainClass = mainClass;
        List<URL> found = new ArrayList<>();
        for (String jar : classPath.split(":")) {
            if (!jar.isEmpty()) {
                found.add(Path.of(jar).toUri().toURL());
            }
        }
        jars = found.toArray(new URL[0]);
    }

    CandidateLoader load(Map<String, byte[]> classes, ClassLoader parent) throws MalformedURLException {
        return new CandidateLoader(classes, Path.of(CLASSES).toUri().toURL(), jars, parent);
    }

    Channel.Reply run(Map<String, byte[]> classes, byte[] stdin, int outputLimit) throws Exception {
        try (CandidateLoader loader = load(classes, ClassLoader.getPlatformClassLoader())) {
            String[] refused = {""};
            GuardedRun.Body body = () -> {
                Method main = Class.forName(mainClass, true, loader).getMethod("main", String[].class);
                if (!Modifier.isStatic(main.getModifiers()) || main.getReturnType() != void.class) {
                    refused[0] = "java might not take it for a main method";
                    return;
                }
                main.setAccessible(true);
                invoke(main, (Object) new String[0]);
            };
            GuardedRun run = new GuardedRun(body, loader, stdin, outputLimit, STACK, true);
            Channel.Reply reply = run.reply();
            if (run.error != null) {
                StringWriter trace = new StringWriter();
                run.error.printStackTrace(new PrintWriter(trace, true));
                String shown = trace.toString().replaceFirst("(?s)\tat [\\w.]+/jdk\\.internal\\.reflect\\..*", "");
                reply.stderr = ("Exception in thread \"main\" " + shown).getBytes(StandardCharsets.UTF_8);
                reply.exitCode = 1;
            }
            reply.odd = reply.odd.isEmpty() ? refused[0] : reply.odd;
            return reply;
        }
    }

    static void invoke(Method method, Object... arguments) throws Throwable {
        try {
            method.invoke(null, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }
}
