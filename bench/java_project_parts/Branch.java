package shop;

import java.time.LocalDate;
import java.time.LocalTime;

/** Branch number NUMBER: sells from its stock while it is open. */
public final class BranchNUMBER {
    private final AccountNUMBER account = new AccountNUMBER();
    private final StockNUMBER stock = new StockNUMBER();
    private final ShiftNUMBER shift = new ShiftNUMBER();

    public AccountNUMBER account() {
        return account;
    }

    public StockNUMBER stock() {
        return stock;
    }

    public ShiftNUMBER shift() {
        return shift;
    }

    /** Sells some pieces and returns whether that was possible. */
    public boolean sell(String article, int count, long price, LocalDate date, LocalTime time) {
        if (!shift.isOpen(date, time) || !stock.take(article, count)) {
            return false;
        }
        account.deposit(count + " " + article, count * price);
        return true;
    }

    public String report() {
        return "branch NUMBER: " + account.balance() + " cents, " + stock.list();
    }
}
