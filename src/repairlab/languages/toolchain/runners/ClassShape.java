package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** What a class file shows to other classes, and the words in it that make a shared JVM the wrong place to run it. */
final class ClassShape {
    /** In a process of its own these would reach something else, or leave something behind that cannot be undone here. */
    private static final Set<String> OWN_PROCESS = Set.of(
        "java/io/FileDescriptor", "java/io/Console", "java/lang/ProcessBuilder", "java/lang/ProcessHandle", "inheritedChannel",
        "addShutdownHook", "setSecurityManager", "getSystemClassLoader", "java.class.path", "setURLStreamHandlerFactory",
        "setContentHandlerFactory", "java/util/logging/LogManager", "java/lang/management/ManagementFactory", "sun.java.command",
        "maxMemory", "totalMemory", "freeMemory", "java/lang/StackOverflowError", "java/lang/OutOfMemoryError",
        "java/lang/VirtualMachineError", "java/lang/StackWalker", "getStackTrace", "getAllStackTraces", "identityHashCode");
    private static final Set<String> THREAD_NUMBERS = Set.of("getId", "threadId", "activeCount", "enumerate", "getThreadGroup");
    private static final Set<String> WITHOUT_MEANING_FOR_OTHERS = Set.of(
        "Code", "SourceFile", "BootstrapMethods", "NestHost", "NestMembers", "EnclosingMethod", "Synthetic", "Deprecated");
    private static final int PRIVATE = 2;

    /** Equal for two versions of a class whose users need not be compiled again; null when that cannot be known. */
    final String api;
    /** The first word that wants a process of its own, or null. */
    final String word;

    private final Object[] constants;
    private final DataInputStream in;
    private final StringBuilder text = new StringBuilder();
    private boolean known = true;

    ClassShape(byte[] content) throws IOException {
        in = new DataInputStream(new ByteArrayInputStream(content));
        in.readInt();
        in.readInt();
        constants = new Object[in.readUnsignedShort()];
        String found = readConstants();
        word = found == null ? ownProcessCall() : found;
        readClass();
        api = known ? text.toString() : null;
    }

    private String readConstants() throws IOException {
        String found = null;
        for (int i = 1; i < constants.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    String word = in.readUTF();
                    constants[i] = word;
                    if (OWN_PROCESS.contains(word) || word.startsWith("/dev/") || word.startsWith("/proc/")) {
                        found = word;
                    }
                    break;
                case 3:
                    constants[i] = "int " + in.readInt();
                    break;
                case 4:
                    constants[i] = "float " + in.readInt();
                    break;
                case 5:
                case 6:
                    constants[i++] = (tag == 5 ? "long " : "double ") + in.readLong();
                    break;
                case 7:
                case 8:
                    constants[i] = in.readUnsignedShort();
                    break;
                case 10:
                case 12:
                    constants[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort(), tag};
                    break;
                case 15:
                    in.skipBytes(3);
                    break;
                case 16:
                case 19:
                case 20:
                    in.skipBytes(2);
                    break;
                default:
                    in.skipBytes(4);
            }
        }
        return found;
    }

    /** Returns the method of a thread that tells numbers of this JVM's own, if it is called. */
    private String ownProcessCall() {
        for (Object constant : constants) {
            if (constant instanceof int[] && ((int[]) constant)[2] == 10) {
                int[] call = (int[]) constant;
                Object owner = constants[(Integer) constants[call[0]]];
                Object name = constants[((int[]) constants[call[1]])[0]];
                if (owner.equals("java/lang/Thread") && THREAD_NUMBERS.contains(name)) {
                    return "Thread." + name;
                }
            }
        }
        return null;
    }

    private void readClass() throws IOException {
        add("class", in.readUnsignedShort());
        String name = constant();
        add(name, constant());
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            add("interface", constant());
        }
        for (String kind : new String[] {"field", "method"}) {
            Set<String> members = new TreeSet<>(); // their order has no meaning
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                int start = text.length();
                int access = in.readUnsignedShort();
                add(kind, access, constant(), constant());
                readAttributes(name);
                if ((access & PRIVATE) == 0) {
                    members.add(text.substring(start));
                }
                text.setLength(start);
            }
            add(members);
        }
        readAttributes(name);
    }

    private void readAttributes(String className) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String name = constant();
            int length = in.readInt();
            if (name.equals("ConstantValue") || name.equals("Signature")) {
                add(name, constant());
            } else if (name.equals("Exceptions")) {
                for (int n = in.readUnsignedShort(); n > 0; n--) {
                    add(name, constant());
                }
            } else if (name.equals("InnerClasses")) {
                readInnerClasses(className);
            } else {
                in.skipBytes(length);
                known &= WITHOUT_MEANING_FOR_OTHERS.contains(name);
                if (name.equals("Deprecated")) {
                    add(name);
                }
            }
        }
    }

    /** Any inner class that the code mentions is listed; only the class's own ones belong to its shape. */
    private void readInnerClasses(String className) throws IOException {
        Set<String> own = new TreeSet<>();
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            String inner = constant();
            String entry = inner + " " + constant() + " " + constant() + " " + in.readUnsignedShort();
            if (inner.equals(className) || inner.startsWith(className + "$")) {
                own.add(entry);
            }
        }
        add("inner", own);
    }

    /** Reads an index and returns what it stands for, through one more index if need be. */
    private String constant() throws IOException {
        Object value = constants[in.readUnsignedShort()];
        return String.valueOf(value instanceof Integer ? constants[(Integer) value] : value);
    }

    private void add(Object... parts) {
        for (Object part : parts) {
            String said = part.toString();
            text.append(said.length()).append(':').append(said);
        }
    }
}
