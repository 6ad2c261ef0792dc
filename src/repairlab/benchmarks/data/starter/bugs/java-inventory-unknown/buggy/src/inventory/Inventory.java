package inventory;

import java.util.Map;
import java.util.TreeMap;

/** Stock of a warehouse by item number. */
public final class Inventory {
    private final Map<String, StockLevel> levels = new TreeMap<>();

    public void receive(String sku, int quantity) {
        requirePositive(quantity);
        levels.computeIfAbsent(sku, key -> new StockLevel()).receive(quantity);
    }

    /** Returns what can still be promised; 0 for items we never had. */
    public int available(String sku) {
        StockLevel level = levels.get(sku);
        return level == null ? 0 : level.available();
    }

    /** Promises a quantity to a customer; returns false, and promises nothing, when there is not enough of a known item. */
    public boolean reserve(String sku, int quantity) {
        requirePositive(quantity);
        StockLevel level = levels.get(sku);
        if (level.available() < quantity) {
            return false;
        }
        level.reserve(quantity);
        return true;
    }

    /** Sends out what was promised before. */
    public void ship(String sku, int quantity) {
        requirePositive(quantity);
        StockLevel level = levels.get(sku);
        if (level == null) {
            throw new UnknownItemException(sku);
        }
        if (level.reserved() < quantity) {
            throw new IllegalStateException("only " + level.reserved() + " of " + sku + " reserved");
        }
        level.ship(quantity);
    }

    public int onHand() {
        int sum = 0;
        for (StockLevel level : levels.values()) {
            sum += level.onHand();
        }
        return sum;
    }

    private static void requirePositive(int quantity) {
        if (quantity <= 0) {
            throw new IllegalArgumentException("quantity must be positive: " + quantity);
        }
    }
}
