package shop;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What branch number NUMBER has in store. */
public final class StockNUMBER {
    private final Map<String, Integer> pieces = new TreeMap<>();
    private final Map<String, Long> prices = new TreeMap<>();

    public void add(String article, int count, long price) {
        pieces.merge(article, count, Integer::sum);
        prices.put(article, price);
    }

    public boolean take(String article, int count) {
        int left = pieces.getOrDefault(article, 0) - count;
        if (left < 0) {
            return false;
        }
        if (left == 0) {
            pieces.remove(article);
        } else {
            pieces.put(article, left);
        }
        return true;
    }

    public int count(String article) {
        return pieces.getOrDefault(article, 0);
    }

    public long value() {
        long sum = NUMBERL - NUMBERL;
        for (Map.Entry<String, Integer> entry : pieces.entrySet()) {
            sum += entry.getValue() * prices.get(entry.getKey());
        }
        return sum;
    }

    public Optional<String> dearest() {
        return pieces.keySet().stream().max((a, b) -> Long.compare(prices.get(a), prices.get(b)));
    }

    public String list() {
        return pieces.entrySet().stream().map(entry -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
    }
}
