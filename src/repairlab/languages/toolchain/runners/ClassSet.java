package repairlab.resident;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The class files of a candidate as the compiler sent them: those of the buggy tree that it shares come by name alone. */
final class ClassSet {
    final Map<String, byte[]> classes = new HashMap<>();
    /** Words that want a process of their own, by class. */
    private final Map<String, String> words = new HashMap<>();

    /** Reads a set; `base` is null where all come in full. */
    ClassSet(DataInputStream in, ClassSet base) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            String name = Channel.text(in);
            boolean own = in.readBoolean();
            byte[] content = own ? Channel.read(in) : base.classes.get(name);
            String word = own ? new ClassShape(content).word : base.words.get(name);
            classes.put(name, content);
            if (word != null) {
                words.put(name, word);
            }
        }
    }

    /** Returns why these classes should run in a process of their own, or an empty text. */
    String misfit() {
        return words.isEmpty() ? "" : words.toString();
    }
}
