package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles candidates in memory: what they change against the classes of the buggy tree, or everything where other files could
 * notice the change. What it says of errors is what javac would say of the whole tree.
 */
final class MemoryCompiler {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    private final JavaFileManager platform;
    private final String folder;
    private final List<String> options;
    private final Set<String> sources;
    private final Map<String, String> declarations = new HashMap<>();
    private final Result unchanged;
    private final Result base;

    /**
     * Takes the folder with the buggy tree, javac's options, the paths of all sources in it, whether it is worth compiling, and the
     * classes that came of it before, if any did.
     */
    MemoryCompiler(String folder, List<String> options, List<String> sources, boolean ahead, Map<String, ClassFile> known)
        throws IOException {
        this.folder = folder;
        PlatformFiles found = PlatformFiles.of(options, standard);
        this.options = found.options;
        platform = found.files;
        this.sources = new TreeSet<>(sources);
        if (known.isEmpty() && ahead) {
            unchanged = compile(this.sources, Map.of(), Map.of());
        } else {
            unchanged = new Result(!known.isEmpty(), "", known);
        }
        base = unchanged.succeeded ? unchanged : null; // some bugs are trees that do not compile
    }

    void close() throws IOException {
        standard.close();
    }

    /** What came of the buggy tree; a failure where it was not compiled. */
    Result unchanged() {
        return unchanged;
    }

    Map<String, ClassFile> baseClasses() {
        return base == null ? Map.of() : base.classes;
    }

    /** Compiles the tree with new texts for some files (null: the file is gone). */
    Result compile(Map<String, String> changed) throws IOException {
        if (changed.isEmpty() && base != null) {
            return base;
        }
        Set<String> all = new TreeSet<>(sources);
        for (Map.Entry<String, String> change : changed.entrySet()) {
            if (change.getValue() == null) {
                all.remove(change.getKey());
            } else {
                all.add(change.getKey());
            }
        }
        if (base != null && all.equals(sources)) {
            Result incremental = compileChanged(changed);
            if (incremental != null) {
                return incremental;
            }
        }
        return compile(all, changed, Map.of());
    }

    /** Returns null when all has to be compiled. */
    private Result compileChanged(Map<String, String> changed) throws IOException {
        Map<String, ClassFile> others = new HashMap<>(base.classes);
        others.values().removeIf(file -> changed.containsKey(file.source));
        Result part = compile(changed.keySet(), changed, others);
        if (!part.succeeded) {
            return declareTheSame(changed) ? part : null; // else the first error of the whole tree may be another one
        }
        if (part.classes.size() + others.size() != base.classes.size()) {
            return null;
        }
        for (ClassFile made : part.classes.values()) {
            ClassFile before = base.classes.get(made.name);
            if (before == null || made.shape.api == null || !made.shape.api.equals(before.shape.api)) {
                return null;
            }
        }
        others.putAll(part.classes);
        return new Result(true, part.output, others);
    }

    private boolean declareTheSame(Map<String, String> changed) throws IOException {
        MemoryFiles files = new MemoryFiles(platform, Map.of());
        for (String path : changed.keySet()) {
            if (!declarations.containsKey(path)) {
                declarations.put(path, Declarations.of(compiler, files, options, onDisk(path)));
            }
            JavaFileObject source = new SourceText(path, changed.get(path));
            if (!Declarations.of(compiler, files, options, source).equals(declarations.get(path))) {
                return false;
            }
        }
        return true;
    }

    private Result compile(Set<String> paths, Map<String, String> texts, Map<String, ClassFile> visible) throws IOException {
        List<JavaFileObject> units = new ArrayList<>();
        for (String path : paths) {
            String text = texts.get(path);
            units.add(text == null ? onDisk(path) : new SourceText(path, text));
        }
        StringWriter output = new StringWriter();
        MemoryFiles files = new MemoryFiles(platform, visible);
        boolean succeeded = compiler.getTask(output, files, null, options, null, units).call();
        if (succeeded) {
            for (ClassFile made : files.made.values()) {
                made.finish();
            }
        }
        return new Result(succeeded, output.toString(), files.made);
    }

    private JavaFileObject onDisk(String path) {
        return new SourceFile(path, standard.getJavaFileObjects(folder + "/" + path).iterator().next());
    }

    static final class Result {
        final boolean succeeded;
        final String output;
        final Map<String, ClassFile> classes;

        Result(boolean succeeded, String output, Map<String, ClassFile> classes) {
            this.succeeded = succeeded;
            this.output = output;
            this.classes = classes;
        }
    }

    private static URI uri(String path) {
        try {
            return new URI("memory", null, "/" + path, null);
        } catch (java.net.URISyntaxException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private static final class SourceText extends SimpleJavaFileObject {
        private final String path;
        private final String text;

        SourceText(String path, String text) {
            super(uri(path), Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        @Override
        public String getName() {
            return path;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** A file of the tree, under its path within the tree. */
    private static final class SourceFile extends SimpleJavaFileObject {
        private final String path;
        private final JavaFileObject file;

        SourceFile(String path, JavaFileObject file) {
            super(uri(path), Kind.SOURCE);
            this.path = path;
            this.file = file;
        }

        @Override
        public String getName() {
            return path;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
            return file.getCharContent(ignoreEncodingErrors);
        }
    }

    static final class ClassFile extends SimpleJavaFileObject {
        /** Binary name, with dots. */
        final String name;
        /** Path of the source file that it came from. */
        final String source;
        byte[] content;
        ClassShape shape;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();

        ClassFile(String name, String source, byte[] content) throws IOException {
            this(name, source);
            this.content = content;
            shape = new ClassShape(content);
        }

        ClassFile(String name, String source) {
            super(uri(name.replace('.', '/') + ".class"), Kind.CLASS);
            this.name = name;
            this.source = source;
        }

        void finish() throws IOException {
            content = written.toByteArray();
            shape = new ClassShape(content);
            written.reset();
        }

        @Override
        public OutputStream openOutputStream() {
            return written;
        }

        @Override
        public InputStream openInputStream() {
            return new ByteArrayInputStream(content);
        }
    }

    /** The class path of the tool chain plus the classes of unchanged files; what is compiled stays in memory. */
    private static final class MemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ClassFile> made = new TreeMap<>();
        private final Map<String, List<JavaFileObject>> packages = new HashMap<>();

        MemoryFiles(JavaFileManager platform, Map<String, ClassFile> visible) {
            super(platform);
            for (ClassFile file : visible.values()) {
                String folder = file.name.substring(0, Math.max(file.name.lastIndexOf('.'), 0));
                packages.computeIfAbsent(folder, key -> new ArrayList<>()).add(file);
            }
        }

        @Override
        public Iterable<JavaFileObject> list(
            JavaFileManager.Location location, String folder, Set<JavaFileObject.Kind> kinds, boolean recurse) throws IOException {
            Iterable<JavaFileObject> found = super.list(location, folder, kinds, recurse);
            if (location != StandardLocation.CLASS_PATH || !kinds.contains(JavaFileObject.Kind.CLASS)) {
                return found;
            }
            List<JavaFileObject> all = new ArrayList<>(packages.getOrDefault(folder, List.of()));
            if (recurse) {
                packages.forEach((name, files) -> {
                    if (folder.isEmpty() ? !name.isEmpty() : name.startsWith(folder + ".")) {
                        all.addAll(files);
                    }
                });
            }
            found.forEach(all::add);
            return all;
        }

        @Override
        public String inferBinaryName(JavaFileManager.Location location, JavaFileObject file) {
            return file instanceof ClassFile ? ((ClassFile) file).name : super.inferBinaryName(location, file);
        }

        @Override
        public boolean isSameFile(FileObject a, FileObject b) {
            boolean ours = a instanceof SimpleJavaFileObject || b instanceof SimpleJavaFileObject;
            return ours ? a.equals(b) : super.isSameFile(a, b);
        }

        @Override
        public boolean contains(JavaFileManager.Location location, FileObject file) throws IOException {
            return !(file instanceof SimpleJavaFileObject) && super.contains(location, file);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
            JavaFileManager.Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ClassFile file = new ClassFile(name, sibling.getName());
            made.put(name, file);
            return file;
        }
    }
}
