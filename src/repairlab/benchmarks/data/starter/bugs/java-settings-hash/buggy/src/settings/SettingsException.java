package settings;

/** A settings file that cannot be read. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SettingsException(int line, String message) {
        super("line " + line + ": " + message);
    }
}
