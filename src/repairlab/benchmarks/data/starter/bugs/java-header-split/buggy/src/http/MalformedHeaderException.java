package http;

/** A header block that does not follow the grammar. */
public final class MalformedHeaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedHeaderException(String message) {
        super(message);
    }
}
