package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Says whether a program could change, or see, anything of its JVM that outlives a run of its main method. It cannot when all that
 * it refers to is its own or known here; the unknown counts as lasting. Hashes of objects' identities are never the same twice: a
 * program that has objects without other ones, and something to put them in an order by, may see them.
 */
final class LastingState {
    private static final String[] PACKAGES = {
        "java/math/", "java/util/concurrent/atomic/", "java/util/function/", "java/util/regex/", "java/util/stream/"};
    private static final Set<String> CLASSES = new HashSet<>();
    private static final Map<String, Set<String>> ONLY = Map.of(
        "java/lang/Class", Set.of(
            "cast", "desiredAssertionStatus", "equals", "getComponentType", "getEnumConstants", "getName", "getSimpleName",
            "getTypeName", "isAssignableFrom", "isInstance"),
        "java/lang/Runtime", Set.of("availableProcessors", "gc", "getRuntime"),
        "java/lang/System", Set.of(
            "arraycopy", "currentTimeMillis", "err", "exit", "gc", "getProperty", "getenv", "in", "lineSeparator", "nanoTime", "out",
            "setErr", "setIn", "setOut"),
        "java/lang/Thread", Set.of("<init>", "interrupt", "join", "run", "setDaemon", "sleep", "start"));
    /** They may be inherited, so that the owner tells nothing. */
    private static final Set<String> NOBODYS = Set.of("getStackTrace", "setDefault", "setStackTrace");
    /** Their constructors take the name of a file. */
    private static final Set<String> FILES = Set.of("java/io/PrintStream", "java/io/PrintWriter", "java/util/Formatter");
    /** Those who catch them can see how far they came. */
    private static final Set<String> EXHAUSTION = Set.of(
        "java/lang/InternalError", "java/lang/OutOfMemoryError", "java/lang/StackOverflowError", "java/lang/VirtualMachineError");

    private static final Set<String> HASHING = Set.of(
        "java/util/HashMap", "java/util/HashSet", "java/util/Hashtable", "java/util/IdentityHashMap");
    private static final Set<String> HASHING_METHODS = Set.of(
        "copyOf", "deepHashCode", "groupingBy", "groupingByConcurrent", "hash", "hashCode", "of", "ofEntries", "toMap", "toSet",
        "toUnmodifiableMap", "toUnmodifiableSet");

    static {
        add("java/lang/", "AssertionError AutoCloseable Boolean Byte CharSequence Character Class Comparable Double Enum Error Float "
            + "Integer Iterable Long Math Number Object Record Runnable Runtime Short StrictMath String StringBuffer StringBuilder "
            + "System Thread Throwable");
        add("java/lang/invoke/", "LambdaMetafactory StringConcatFactory");
        add("java/lang/runtime/", "ObjectMethods SwitchBootstraps");
        add("java/io/", "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter ByteArrayInputStream "
            + "ByteArrayOutputStream CharArrayReader CharArrayWriter Closeable DataInput DataInputStream DataOutputStream "
            + "FilterInputStream Flushable InputStream InputStreamReader LineNumberReader OutputStream OutputStreamWriter PrintStream "
            + "PrintWriter PushbackReader Reader Serializable StreamTokenizer StringReader StringWriter Writer");
        add("java/nio/charset/", "Charset StandardCharsets");
        add("java/text/", "DecimalFormat DecimalFormatSymbols NumberFormat");
        add("java/util/", "AbstractCollection AbstractList AbstractMap AbstractMap$SimpleEntry AbstractMap$SimpleImmutableEntry "
            + "AbstractQueue AbstractSequentialList AbstractSet ArrayDeque ArrayList Arrays Base64 BitSet Collection Collections "
            + "Comparator Deque DoubleSummaryStatistics EnumMap EnumSet Enumeration Formatter HashMap HashSet Hashtable "
            + "IdentityHashMap IntSummaryStatistics Iterator LinkedHashMap LinkedHashSet LinkedList List ListIterator Locale "
            + "LongSummaryStatistics Map Map$Entry NavigableMap NavigableSet Objects Optional OptionalDouble OptionalInt OptionalLong "
            + "PrimitiveIterator PrimitiveIterator$OfInt PrimitiveIterator$OfLong PriorityQueue Queue Random RandomAccess Scanner Set "
            + "SortedMap SortedSet Stack StringJoiner StringTokenizer TreeMap TreeSet Vector");
    }

    private LastingState() {}

    private static void add(String place, String names) {
        for (String name : names.split(" ")) {
            CLASSES.add(place + name);
        }
    }

    /** Returns what may last, by name, or an empty text. */
    static String of(Collection<MemoryCompiler.ClassFile> program) throws IOException {
        Map<String, MemoryCompiler.ClassFile> own = new HashMap<>();
        for (MemoryCompiler.ClassFile file : program) {
            own.put(file.name.replace('.', '/'), file);
        }
        String ordered = "";
        String without = "";
        for (MemoryCompiler.ClassFile file : program) {
            ConstantPool constants = new ConstantPool(new DataInputStream(new ByteArrayInputStream(file.content)));
            if (constants.has("finalize")) {
                return "finalize";
            }
            for (String name : constants.classes()) {
                if (EXHAUSTION.contains(name)) {
                    return name;
                }
            }
            for (ConstantPool.Member member : constants.members()) {
                if (!isKnown(member, own.keySet())) {
                    return member.owner + "." + member.name;
                }
                MemoryCompiler.ClassFile made = member.name.equals("<init>") ? own.get(member.owner) : null;
                without = made == null || made.shape.hasHashCode ? without : made.name;
                boolean hashes = HASHING.contains(member.owner) || HASHING_METHODS.contains(member.name);
                ordered = hashes ? member.owner + "." + member.name : ordered;
            }
            without = constants.hasText("<[") || constants.hasText("<Ljava/lang/Object;") ? "an array or object" : without;
        }
        return ordered.isEmpty() || without.isEmpty() ? "" : without + " in " + ordered;
    }

    private static boolean isKnown(ConstantPool.Member member, Set<String> own) {
        String owner = member.owner;
        boolean identity = member.name.equals("hashCode") && owner.equals("java/lang/Object");
        if (identity || NOBODYS.contains(member.name) || member.name.startsWith("parallel") || isTraceElsewhere(member)) {
            return false;
        }
        if (own.contains(owner)) {
            return !member.name.equals("getId") && !member.name.equals("threadId"); // of a thread, perhaps
        }
        if (ONLY.containsKey(owner)) {
            // A thread without a name is numbered.
            boolean named = !owner.equals("java/lang/Thread") || !member.name.equals("<init>") || member.type.contains("String");
            return named && ONLY.get(owner).contains(member.name);
        }
        boolean opens = FILES.contains(owner) && member.name.equals("<init>") && member.type.startsWith("(Ljava/lang/String;");
        return !opens && (CLASSES.contains(owner) || owner.startsWith("[") || isPlain(owner));
    }

    private static boolean isTraceElsewhere(ConstantPool.Member member) {
        return member.name.equals("printStackTrace") && !member.type.equals("()V");
    }

    private static boolean isPlain(String owner) {
        if (owner.endsWith("Exception")) {
            return owner.startsWith("java/lang/") || owner.startsWith("java/util/") || owner.startsWith("java/io/");
        }
        for (String known : PACKAGES) {
            if (owner.startsWith(known)) {
                return !owner.endsWith("/StreamSupport");
            }
        }
        return false;
    }
}
