package inventory;

/** How much of one item is there and how much of that is promised to somebody. */
final class StockLevel {
    private int onHand;
    private int reserved;

    int onHand() {
        return onHand;
    }

    int available() {
        return onHand - reserved;
    }

    void receive(int quantity) {
        onHand += quantity;
    }

    void reserve(int quantity) {
        reserved += quantity;
    }

    void ship(int quantity) {
        onHand -= quantity;
        reserved -= quantity;
    }

    int reserved() {
        return reserved;
    }
}
