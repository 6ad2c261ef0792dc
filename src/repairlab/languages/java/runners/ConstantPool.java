package repairlab.resident;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The names and constants that a class file uses. */
final class ConstantPool {
    /** A text for texts and numbers, an index for what stands for another constant, two indices for pairs. */
    private final Object[] constants;
    private final List<Integer> classes = new ArrayList<>();
    private final List<int[]> members = new ArrayList<>();

    /** A field or method that the code refers to. */
    static final class Member {
        final String owner;
        final String name;
        final String type;

        Member(String owner, String name, String type) {
            this.owner = owner;
            this.name = name;
            this.type = type;
        }
    }

    /** Reads the head of a class file, up to the end of its constants. */
    ConstantPool(DataInputStream in) throws IOException {
        in.readInt();
        in.readInt();
        constants = new Object[in.readUnsignedShort()];
        for (int i = 1; i < constants.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    constants[i] = in.readUTF();
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
                    classes.add(i);
                    constants[i] = in.readUnsignedShort();
                    break;
                case 8:
                    constants[i] = in.readUnsignedShort();
                    break;
                case 9:
                case 10:
                case 11:
                    members.add(pair(in));
                    break;
                case 12:
                    constants[i] = pair(in);
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
    }

    private static int[] pair(DataInputStream in) throws IOException {
        return new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
    }

    /** Returns what an index stands for, through one more index if need be. */
    String text(int index) {
        Object value = constants[index];
        return String.valueOf(value instanceof Integer ? constants[(Integer) value] : value);
    }

    boolean has(String text) {
        return Arrays.asList(constants).contains(text);
    }

    /** Returns whether some constant, or the name of a generic type, contains a text. */
    boolean hasText(String text) {
        for (Object constant : constants) {
            if (constant instanceof String && ((String) constant).contains(text)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the names of all classes that are mentioned, with slashes. */
    List<String> classes() {
        List<String> found = new ArrayList<>();
        classes.forEach(index -> found.add(text(index)));
        return found;
    }

    List<Member> members() {
        List<Member> found = new ArrayList<>();
        for (int[] member : members) {
            int[] named = (int[]) constants[member[1]];
            found.add(new Member(text(member[0]), text(named[0]), text(named[1])));
        }
        return found;
    }
}
