import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Reads lines of source text and says for each whether its brackets match. */
public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int lines = Integer.parseInt(in.readLine().trim());
        for (int i = 0; i < lines; i++) {
            String line = in.readLine();
            System.out.println(Brackets.balanced(line) ? "balanced" : "unbalanced");
        }
    }
}
