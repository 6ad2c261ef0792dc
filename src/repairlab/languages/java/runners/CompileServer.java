package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compiles candidates of any number of bugs, inside the sandbox, and never runs anything of theirs: its word is javac's. */
public final class CompileServer implements Channel.Service {
    /** Less than javac gets in a JVM of its own: frames of a compiler that is warm are smaller. */
    private static final long STACK = 768L << 10;

    private final Map<String, Tree> trees = new HashMap<>();

    /** A bug's tree; `judged`: it is a program that runs on input after input. */
    private static final class Tree {
        final MemoryCompiler compiler;
        final boolean judged;

        Tree(MemoryCompiler compiler, boolean judged) {
            this.compiler = compiler;
            this.judged = judged;
        }
    }

    private CompileServer() {}

    public static void main(String[] arguments) throws Exception {
        Channel.serve(new CompileServer());
    }

    @Override
    public Channel.Reply serve(String verb, DataInputStream body, int outputLimit) throws Exception {
        String tree = Channel.text(body);
        Channel.Reply reply = new Channel.Reply();
        if (verb.equals("close")) {
            trees.remove(tree).compiler.close();
            return reply;
        }
        Thread thread = new Thread(null, () -> {
            try {
                if (verb.equals("open")) {
                    open(tree, body, reply);
                } else {
                    compile(trees.get(tree), body, reply);
                }
            } catch (IOException | RuntimeException | StackOverflowError error) {
                reply.odd = "the compiler failed: " + error;
            }
        }, "compiler", STACK);
        thread.start();
        thread.join();
        return reply;
    }

    /** Takes the buggy tree that lies in a folder, and compiles it where many will share its classes and they are not known yet. */
    private void open(String folder, DataInputStream body, Channel.Reply reply) throws IOException {
        boolean ahead = body.readBoolean();
        boolean judged = body.readBoolean();
        List<String> options = Channel.texts(body);
        List<String> sources = Channel.texts(body);
        Map<String, MemoryCompiler.ClassFile> known = classes(Channel.read(body));
        MemoryCompiler compiler = new MemoryCompiler(folder, options, sources, ahead, known);
        trees.put(folder, new Tree(compiler, judged));
        answer(compiler.unchanged(), known, judged, reply);
    }

    /** Reads the report of an earlier opening, or nothing. */
    private static Map<String, MemoryCompiler.ClassFile> classes(byte[] report) throws IOException {
        Map<String, MemoryCompiler.ClassFile> found = new TreeMap<>();
        if (report.length == 0) {
            return found;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(report));
        Channel.text(in);
        for (int left = in.readInt(); left > 0; left--) {
            String name = Channel.text(in);
            in.readBoolean();
            found.put(name, new MemoryCompiler.ClassFile(name, Channel.text(in), Channel.read(in)));
        }
        return found;
    }

    private static void compile(Tree tree, DataInputStream body, Channel.Reply reply) throws IOException {
        Map<String, String> changed = new TreeMap<>();
        for (int left = body.readInt(); left > 0; left--) {
            String path = Channel.text(body);
            changed.put(path, body.readBoolean() ? Channel.text(body) : null);
        }
        answer(tree.compiler.compile(changed), tree.compiler.baseClasses(), tree.judged, reply);
    }

    /** Tells what javac said and, for a success, what of a program may last, and the class files: those known already by name alone. */
    private static void answer(
        MemoryCompiler.Result result, Map<String, MemoryCompiler.ClassFile> known, boolean judged, Channel.Reply reply)
        throws IOException {
        reply.exitCode = result.succeeded ? 0 : 1;
        reply.stderr = result.output.getBytes(StandardCharsets.UTF_8);
        if (!result.succeeded) {
            return;
        }
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(content);
        Channel.write(out, judged ? LastingState.of(result.classes.values()) : "");
        out.writeInt(result.classes.size());
        for (MemoryCompiler.ClassFile file : result.classes.values()) {
            boolean changed = known.get(file.name) != file;
            Channel.write(out, file.name);
            out.writeBoolean(changed);
            if (changed) {
                Channel.write(out, file.source);
                Channel.write(out, file.content);
            }
        }
        reply.report = content.toByteArray();
    }
}
