import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Locale;

/** Reads two DNA strands, one per line, and prints how many edits turn one into the other. */
public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String first = in.readLine();
        String second = in.readLine();
        System.out.println(Strands.distance(clean(first), clean(second)));
    }

    private static String clean(String strand) {
        return strand == null ? "" : strand.trim().toUpperCase(Locale.ROOT);
    }
}
