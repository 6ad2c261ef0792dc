package shop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The account of branch number NUMBER: what came in and went out, in cents. */
public final class AccountNUMBER {
    /** One entry of the book. */
    public static final class Entry {
        private final String text;
        private final long cents;

        Entry(String text, long cents) {
            this.text = Objects.requireNonNull(text);
            this.cents = cents;
        }

        public String text() {
            return text;
        }

        public long cents() {
            return cents;
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    public void deposit(String text, long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("not an amount: " + cents);
        }
        entries.add(new Entry(text, cents));
    }

    public void withdraw(String text, long cents) {
        if (cents <= 0 || cents > balance()) {
            throw new IllegalArgumentException("not covered: " + cents);
        }
        entries.add(new Entry(text, -cents));
    }

    public long balance() {
        long sum = 0;
        for (Entry entry : entries) {
            sum += entry.cents();
        }
        return sum;
    }

    public List<Entry> entries() {
        return Collections.unmodifiableList(entries);
    }

    /** Returns the largest deposits, largest first. */
    public List<Long> largest(int n) {
        List<Long> deposits = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.cents() > 0) {
                deposits.add(entry.cents());
            }
        }
        deposits.sort(Collections.reverseOrder());
        return deposits.subList(0, Math.min(n, deposits.size()));
    }
}
