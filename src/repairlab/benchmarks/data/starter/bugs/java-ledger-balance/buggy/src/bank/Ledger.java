package bank;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Bookings in the order they were made. */
public final class Ledger {
    private final List<Entry> entries = new ArrayList<>();

    public void post(Entry entry) {
        entries.add(entry);
    }

    public void deposit(String account, long cents, String memo) {
        if (cents <= 0) {
            throw new IllegalArgumentException("deposit must be positive: " + cents);
        }
        post(new Entry(account, cents, memo));
    }

    /** Moves money between two accounts; the sum over all accounts stays the same. */
    public void transfer(String from, String to, long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("transfer must be positive: " + cents);
        }
        post(new Entry(from, -cents, "to " + to));
        post(new Entry(to, cents, "from " + from));
    }

    public long balanceOf(String account) {
        long balance = 0;
        for (Entry entry : entries) {
            if (entry.account() == account) {
                balance += entry.cents();
            }
        }
        return balance;
    }

    public long total() {
        long sum = 0;
        for (Entry entry : entries) {
            sum += entry.cents();
        }
        return sum;
    }

    public SortedSet<String> accounts() {
        SortedSet<String> names = new TreeSet<>();
        for (Entry entry : entries) {
            names.add(entry.account());
        }
        return names;
    }

    public List<Entry> entries() {
        return Collections.unmodifiableList(entries);
    }
}
