package inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Takes orders of several items and says which of them cannot be served. */
public final class OrderDesk {
    private final Inventory inventory;

    public OrderDesk(Inventory inventory) {
        this.inventory = inventory;
    }

    /** Reserves what is there and returns one line for each item that is not. */
    public List<String> take(Map<String, Integer> order) {
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, Integer> line : order.entrySet()) {
            try {
                if (!inventory.reserve(line.getKey(), line.getValue())) {
                    problems.add("not enough of " + line.getKey());
                }
            } catch (UnknownItemException e) {
                problems.add(e.getMessage());
            }
        }
        return problems;
    }
}
