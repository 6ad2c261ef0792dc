package settings;

/** A piece of a settings file. */
public final class Token {
    /** What a token is. */
    public enum Kind { NAME, STRING, NUMBER, EQUALS, END }

    private final Kind kind;
    private final String text;
    private final int line;

    public Token(Kind kind, String text, int line) {
        this.kind = kind;
        this.text = text;
        this.line = line;
    }

    public Kind kind() {
        return kind;
    }

    public String text() {
        return text;
    }

    public int line() {
        return line;
    }

    @Override
    public String toString() {
        return kind + "(" + text + ")";
    }
}
