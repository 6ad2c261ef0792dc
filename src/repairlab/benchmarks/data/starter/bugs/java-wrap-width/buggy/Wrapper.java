/** Fills lines with words, as many as fit; a word longer than the width gets a line of its own. */
final class Wrapper {
    private final int width;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder line = new StringBuilder();

    Wrapper(int width) {
        this.width = width;
    }

    void add(String word) {
        if (line.length() > 0) {
            int needed = line.length() + 1 + word.length();
            if (needed + 1 > width) {
                endLine();
            } else {
                line.append(' ');
            }
        }
        line.append(word);
    }

    String finish() {
        if (line.length() > 0) {
            endLine();
        }
        return text.toString();
    }

    private void endLine() {
        text.append(line).append('\n');
        line.setLength(0);
    }
}
