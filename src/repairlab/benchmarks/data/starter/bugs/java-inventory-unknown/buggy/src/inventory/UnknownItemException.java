package inventory;

/** An item number that was never received. */
public final class UnknownItemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnknownItemException(String sku) {
        super("unknown item " + sku);
    }
}
