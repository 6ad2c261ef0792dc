package repairlab.resident;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Does once what the servers do, so that the JVM can write down the classes they need. Runs on the host, over a folder of ours.
 * Arguments: the folder, then the name of the program in it, then javac's options.
 */
public final class Rehearsal {
    private static final String[] SERVERS = {"Channel", "CpuWatch", "HeapWatch", "CompileServer", "RunServer", "CaseRunner", "ClassSet"};

    private Rehearsal() {}

    public static void main(String[] arguments) throws Exception {
        String source = arguments[1] + ".java";
        List<String> options = List.of(arguments).subList(2, arguments.length);
        for (String name : SERVERS) {
            Class.forName("repairlab.resident." + name);
        }
        CpuWatch.cpuNanos();
        HeapWatch heap = new HeapWatch();
        MemoryCompiler compiler = new MemoryCompiler(arguments[0], options, List.of(source), true);
        compiler.compile(change(source, "class Broken { int broken() { return \"\"; } }"));
        Map<String, byte[]> classes = new HashMap<>();
        for (MemoryCompiler.ClassFile file : compiler.compile(Map.of()).classes.values()) {
            classes.put(file.name, file.content);
        }
        Program program = new Program(arguments[1], "");
        for (int i = 0; i < 2; i++) {
            program.run(classes, "3\n1 2 3\n".getBytes(StandardCharsets.UTF_8), 1 << 20).encoded(new byte[0]);
        }
        heap.isSuspicious();
        compiler.close();
    }

    private static Map<String, String> change(String path, String text) {
        return new TreeMap<>(Map.of(path, text));
    }
}
