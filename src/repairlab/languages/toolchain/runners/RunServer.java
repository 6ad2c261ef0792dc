package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;

/**
 * Runs one candidate after the other for one bug, inside the sandbox. Arguments: the class that runs (a JUnit runner, or the
 * program's main class) and the jars of the tree joined by colons.
 */
public final class RunServer implements Channel.Service {
    private final String mainClass;
    private final Program program;
    /** The classes of the buggy tree, which come first, and which of them should not run here. */
    private ClassSet base;
    private ClassSet candidate;

    private RunServer(String[] arguments) throws Exception {
        mainClass = arguments[0];
        program = new Program(mainClass, arguments[1]);
    }

    public static void main(String[] arguments) throws Exception {
        java.lang.ref.Cleaner.create(); // its thread must not count as left over by the first run that needs one
        Channel.serve(new RunServer(arguments));
    }

    @Override
    public Channel.Reply serve(String verb, DataInputStream body, int outputLimit) throws Exception {
        if (verb.equals("load")) {
            return load(body);
        }
        HeapWatch heap = new HeapWatch();
        byte[] given = body.readAllBytes();
        Channel.Reply reply = verb.equals("tests") ? tests(given, outputLimit) : program.run(candidate.classes, given, outputLimit);
        reply.odd = heap.isSuspicious() ? "much memory was used" : reply.odd;
        return reply;
    }

    private Channel.Reply load(DataInputStream body) throws IOException {
        candidate = new ClassSet(body, base);
        base = base == null ? candidate : base;
        Channel.Reply reply = new Channel.Reply();
        reply.odd = candidate.misfit();
        return reply;
    }

    private Channel.Reply tests(byte[] request, int outputLimit) throws Exception {
        Method runner = Class.forName(mainClass).getMethod("run", InputStream.class, OutputStream.class, ClassLoader.class);
        try (CandidateLoader loader = program.load(candidate.classes, RunServer.class.getClassLoader())) {
            ByteArrayOutputStream report = new ByteArrayOutputStream();
            GuardedRun.Body body = () -> Program.invoke(runner, new ByteArrayInputStream(request), report, loader);
            GuardedRun run = new GuardedRun(body, loader, new byte[0], outputLimit, 0, false);
            Channel.Reply reply = run.reply();
            reply.odd = run.error != null && reply.odd.isEmpty() ? run.error.toString() : reply.odd;
            reply.report = report.toByteArray();
            return reply;
        }
    }
}
