package bank;

import java.util.Objects;

/** One booking on one account; amounts are in cents, withdrawals are negative. */
public final class Entry {
    private final String account;
    private final long cents;
    private final String memo;

    public Entry(String account, long cents, String memo) {
        this.account = Objects.requireNonNull(account, "account");
        this.cents = cents;
        this.memo = memo == null ? "" : memo;
    }

    public String account() {
        return account;
    }

    public long cents() {
        return cents;
    }

    public String memo() {
        return memo;
    }

    @Override
    public String toString() {
        return account + " " + cents + (memo.isEmpty() ? "" : " (" + memo + ")");
    }
}
