package repairlab.resident;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs one program on input after input, in a JVM that serves nobody else, as far as each run finds what it would find in a JVM of
 * its own: LastingState has seen to what the program refers to, the rest is noticed here. The request comes on standard input,
 * replies go to standard output. Arguments: the main class, and the class path that the program shall see.
 */
public final class CaseRunner {
    /** As that of the main thread: `-Xss` of a program. */
    private static final long STACK = 64L << 20;
    private static final int BUFFER = 128;

    private final Map<String, byte[]> classes = new HashMap<>();
    private final String mainClass;

    private CaseRunner(String mainClass, DataInputStream request) throws IOException {
        this.mainClass = mainClass;
        for (int left = request.readInt(); left > 0; left--) {
            classes.put(Channel.text(request), Channel.read(request));
        }
    }

    public static void main(String[] arguments) throws Exception {
        DataInputStream request = new DataInputStream(new ByteArrayInputStream(System.in.readAllBytes()));
        DataOutputStream replies = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        byte[] nonce = Channel.read(request);
        int outputLimit = request.readInt();
        long patience = request.readLong();
        CaseRunner runner = new CaseRunner(arguments[0], request);
        System.setProperty("sun.java.command", arguments[0]);
        System.setProperty("java.class.path", arguments[1]);
        long first = System.nanoTime();
        boolean goesOn = true;
        for (int left = request.readInt(); left > 0 && goesOn; left--) {
            byte[] stdin = Channel.read(request);
            long start = System.nanoTime();
            Channel.Reply reply = runner.run(stdin, outputLimit);
            long end = System.nanoTime();
            reply.wallNanos = end - start;
            Channel.write(replies, reply.encoded(nonce));
            goesOn = reply.odd.isEmpty() && end - first < patience;
        }
        System.exit(0);
    }

    private Channel.Reply run(byte[] stdin, int outputLimit) throws InterruptedException {
        Sink out = new Sink(outputLimit);
        Sink err = new Sink(outputLimit);
        System.setIn(new BufferedInputStream(new ByteArrayInputStream(stdin)));
        // Buffered as the JVM's own are: what a program does not flush is lost.
        System.setOut(new PrintStream(new BufferedOutputStream(out, BUFFER), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new BufferedOutputStream(err, BUFFER), true, StandardCharsets.UTF_8));
        Main main = new Main();
        Thread thread = new Thread(Thread.currentThread().getThreadGroup(), main, "main", STACK);
        thread.setContextClassLoader(main.loader);
        thread.start();
        thread.join();
        String left = awaitThreads();
        Channel.Reply reply = new Channel.Reply();
        reply.odd = main.odd.isEmpty() ? left : main.odd;
        reply.exitCode = main.failed ? 1 : 0;
        reply.stdout = out.toByteArray();
        reply.stderr = err.toByteArray();
        return reply;
    }

    /** Waits as a JVM does before it ends, for all threads but daemons; those would live on here. */
    private static String awaitThreads() throws InterruptedException {
        Thread[] all = new Thread[2];
        while (Thread.enumerate(all) > 1) {
            Thread other = all[0] == Thread.currentThread() ? all[1] : all[0];
            if (other.isDaemon()) {
                return "a daemon is left over";
            }
            other.join();
        }
        return "";
    }

    /** The program's main thread: its own classes, with static state of their own. */
    private final class Main implements Runnable {
        final Loader loader = new Loader();
        boolean failed;
        String odd = "";

        @Override
        public void run() {
            try {
                Method main = Class.forName(mainClass, true, loader).getMethod("main", String[].class);
                if (!Modifier.isStatic(main.getModifiers()) || main.getReturnType() != void.class) {
                    odd = "java might not take it for a main method";
                    return;
                }
                main.setAccessible(true);
                main.invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException error) {
                failed = true;
                Throwable thrown = error.getCause();
                if (thrown instanceof VirtualMachineError || thrown instanceof LinkageError) {
                    odd = thrown.toString();
                    return;
                }
                trim(thrown, 0);
                CaseRunner.<RuntimeException>raise(thrown); // so that it is told as in any thread
            } catch (ReflectiveOperationException | LinkageError error) {
                odd = error.toString();
            }
        }
    }

    /** Takes our own frames away, which would not be there in a JVM of the program's own. */
    private static void trim(Throwable error, int depth) {
        StackTraceElement[] frames = error.getStackTrace();
        int end = frames.length;
        while (end > 0 && !frames[end - 1].getClassName().startsWith(CaseRunner.class.getName())) {
            end--;
        }
        while (end > 0 && isOurs(frames[end - 1].getClassName())) {
            end--;
        }
        if (end > 0) {
            error.setStackTrace(Arrays.copyOf(frames, end));
        }
        if (error.getCause() != null && depth < 100) {
            trim(error.getCause(), depth + 1);
        }
    }

    private static boolean isOurs(String name) {
        return name.startsWith(CaseRunner.class.getName()) || name.startsWith("java.lang.reflect.") || name.startsWith("jdk.internal.");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable error) throws T {
        throw (T) error;
    }

    private final class Loader extends ClassLoader {
        Loader() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] content = classes.get(name);
            if (content == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, content, 0, content.length);
        }
    }

    /** Keeps output up to a limit, at which this JVM ends. */
    private static final class Sink extends ByteArrayOutputStream {
        /** Exit code: whoever started this JVM finds out in another what it means for the program. */
        private static final int TOO_MUCH_OUTPUT = 98;

        private final int limit;

        Sink(int limit) {
            this.limit = limit;
        }

        @Override
        public synchronized void write(byte[] letters, int start, int length) {
            if (length > limit - count) {
                Runtime.getRuntime().halt(TOO_MUCH_OUTPUT);
            }
            super.write(letters, start, length);
        }
    }
}
