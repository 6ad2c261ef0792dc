package repairlab.resident;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaFileManager;

/**
 * The classes of an older Java for `--release`, opened once: javac by itself opens them for every compilation, which takes longer
 * than to compile a file.
 */
final class PlatformFiles {
    /** Javac's options without `--release`, or as they were. */
    final List<String> options;
    /** The files that javac asks for. */
    final JavaFileManager files;

    private PlatformFiles(List<String> options, JavaFileManager files) {
        this.options = options;
        this.files = files;
    }

    /** Replaces `--release`; where this JDK has no such way to do it, nothing changes. */
    static PlatformFiles of(List<String> options, JavaFileManager standard) {
        int at = options.indexOf("--release");
        if (at < 0) {
            return new PlatformFiles(options, standard);
        }
        String release = options.get(at + 1);
        try {
            Method lookup = Class.forName("com.sun.tools.javac.platform.PlatformUtils")
                .getMethod("lookupPlatformDescription", String.class);
            Object platform = lookup.invoke(null, release);
            Class<?> type = Class.forName("com.sun.tools.javac.platform.PlatformDescription");
            JavaFileManager system = (JavaFileManager) type.getMethod("getFileManager").invoke(platform);
            List<String> others = new ArrayList<>(options);
            others.subList(at, at + 2).clear();
            others.addAll(at, List.of(
                "-source", (String) type.getMethod("getSourceVersion").invoke(platform),
                "-target", (String) type.getMethod("getTargetVersion").invoke(platform),
                "-Xlint:-options"));
            return new PlatformFiles(others, joined(system, standard));
        } catch (ReflectiveOperationException | RuntimeException error) {
            return new PlatformFiles(options, standard);
        }
    }

    /** Whatever is asked of a place that the platform knows goes there, all else to the other files. */
    private static JavaFileManager joined(JavaFileManager system, JavaFileManager standard) {
        Class<?>[] types = {JavaFileManager.class};
        return (JavaFileManager) Proxy.newProxyInstance(PlatformFiles.class.getClassLoader(), types, (proxy, method, arguments) -> {
            boolean placed = arguments != null && arguments.length > 0 && arguments[0] instanceof JavaFileManager.Location;
            boolean known = placed && system.hasLocation((JavaFileManager.Location) arguments[0]);
            try {
                return method.invoke(known ? system : standard, arguments);
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        });
    }
}
