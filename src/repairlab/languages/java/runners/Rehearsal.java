package repairlab.resident;

import java.util.List;
import java.util.Map;

/**
 * Does once what the compile server does, so that the JVM can write down the classes it needs. Runs on the host, over a folder of
 * ours. Arguments: the folder, then the name of the program in it, then javac's options.
 */
public final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] arguments) throws Exception {
        String source = arguments[1] + ".java";
        List<String> options = List.of(arguments).subList(2, arguments.length);
        for (String name : new String[] {"Channel", "CpuWatch", "CompileServer"}) {
            Class.forName("repairlab.resident." + name);
        }
        CpuWatch.cpuNanos();
        MemoryCompiler compiler = new MemoryCompiler(arguments[0], options, List.of(source), true, Map.of());
        compiler.compile(Map.of(source, "class Broken { int broken() { return \"\"; } }"));
        LastingState.of(compiler.compile(Map.of()).classes.values());
        compiler.close();
    }
}
