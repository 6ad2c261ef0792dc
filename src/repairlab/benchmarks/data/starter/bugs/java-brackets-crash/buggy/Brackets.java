import java.util.ArrayDeque;
import java.util.Deque;

/** Round, square and curly brackets; all other characters are ignored. */
final class Brackets {
    private static final String OPENING = "([{";
    private static final String CLOSING = ")]}";

    private Brackets() {
    }

    static boolean balanced(String text) {
        Deque<Character> open = new ArrayDeque<>();
        for (char c : text.toCharArray()) {
            int kind = CLOSING.indexOf(c);
            if (OPENING.indexOf(c) >= 0) {
                open.push(c);
            } else if (kind >= 0) {
                if (open.pop() != OPENING.charAt(kind)) {
                    return false;
                }
            }
        }
        return open.isEmpty();
    }
}
