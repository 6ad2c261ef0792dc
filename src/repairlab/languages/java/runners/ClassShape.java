package repairlab.resident;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** What a class file shows to other classes. */
final class ClassShape {
    private static final Set<String> WITHOUT_MEANING_FOR_OTHERS = Set.of(
        "Code", "SourceFile", "BootstrapMethods", "NestHost", "NestMembers", "EnclosingMethod", "Synthetic", "Deprecated");
    private static final int PRIVATE = 2;

    /** Equal for two versions of a class whose users need not be compiled again; null when that cannot be known. */
    final String api;
    /** Whether it declares `hashCode()`. */
    boolean hasHashCode;

    private final ConstantPool constants;
    private final DataInputStream in;
    private final StringBuilder text = new StringBuilder();
    private boolean known = true;

    ClassShape(byte[] content) throws IOException {
        in = new DataInputStream(new ByteArrayInputStream(content));
        constants = new ConstantPool(in);
        readClass();
        api = known ? text.toString() : null;
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
                String member = constant();
                add(kind, access, member, constant());
                hasHashCode |= member.equals("hashCode");
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

    /** Reads an index and returns what it stands for. */
    private String constant() throws IOException {
        return constants.text(in.readUnsignedShort());
    }

    private void add(Object... parts) {
        for (Object part : parts) {
            String said = part.toString();
            text.append(said.length()).append(':').append(said);
        }
    }
}
