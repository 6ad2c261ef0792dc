package repairlab.resident;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Runs code of a candidate as if the JVM were its own, and notices where it was not. */
final class GuardedRun {
    /** Exit code: whoever started this JVM finds out in a process of the candidate's own what it means for the candidate. */
    private static final int TOO_MUCH_OUTPUT = 98;

    byte[] stdout = {};
    byte[] stderr = {};
    /** The error that ended the code, or null. */
    Throwable error;
    /** Why the run says nothing about the candidate, or an empty text. */
    String odd = "";
    /** Why nothing else should run in this JVM any more, or an empty text. */
    String tainted = "";

    interface Body {
        void run() throws Throwable;
    }

    /** Runs code on a thread of its own; `whole`: it ends only when its threads have ended. */
    GuardedRun(Body body, ClassLoader loader, byte[] stdin, int outputLimit, long stackSize, boolean whole) throws Exception {
        Sink out = new Sink(outputLimit);
        Sink err = new Sink(outputLimit);
        Surroundings surroundings = new Surroundings(writableFolders());
        PrintStream printed = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream complained = new PrintStream(err, true, StandardCharsets.UTF_8);
        System.setIn(new BufferedInputStream(new ByteArrayInputStream(stdin)));
        System.setOut(printed);
        System.setErr(complained);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(Thread.currentThread().getThreadGroup(), () -> {
            try {
                body.run();
            } catch (Throwable error) {
                thrown.set(error);
            }
        }, "main", stackSize);
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        if (whole) {
            surroundings.awaitThreads();
        }
        printed.flush();
        complained.flush();
        tainted = System.getSecurityManager() != null ? "a security manager was set" : surroundings.restore();
        error = thrown.get();
        if (error instanceof VirtualMachineError || error instanceof LinkageError || error instanceof ThreadDeath) {
            odd = error.toString();
        }
        stdout = out.toByteArray();
        stderr = err.toByteArray();
    }

    Channel.Reply reply() {
        Channel.Reply reply = new Channel.Reply();
        reply.odd = odd;
        reply.tainted = tainted;
        reply.stdout = stdout;
        reply.stderr = stderr;
        return reply;
    }

    private static List<Path> writableFolders() throws IOException {
        List<Path> folders = new ArrayList<>(List.of(Path.of(""), Path.of(System.getenv("HOME")), Path.of(System.getenv("TMPDIR"))));
        if (System.getenv("TMPDIR").equals("/tmp")) { // a file system of our own, as is this
            folders.add(Path.of("/dev/shm"));
        }
        folders.removeIf(folder -> !Files.isWritable(folder));
        return folders;
    }

    /** Keeps output up to a limit, at which this JVM ends. */
    private static final class Sink extends ByteArrayOutputStream {
        private final int limit;

        Sink(int limit) {
            this.limit = limit;
        }

        @Override
        public synchronized void write(int letter) {
            make(1);
            super.write(letter);
        }

        @Override
        public synchronized void write(byte[] letters, int start, int length) {
            make(length);
            super.write(letters, start, length);
        }

        private void make(int room) {
            if (count + room > limit) {
                Runtime.getRuntime().halt(TOO_MUCH_OUTPUT);
            }
        }
    }
}
