package bank;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class LedgerTest {
    @Test
    public void balanceOfAnEmptyLedgerIsZero() {
        assertEquals(0, new Ledger().balanceOf("alice"));
    }

    @Test
    public void depositsAddUp() {
        Ledger ledger = new Ledger();
        ledger.deposit("alice", 1200, "salary");
        ledger.deposit("alice", 300, null);
        ledger.deposit("bob", 50, null);
        assertEquals(1500, ledger.balanceOf("alice"));
        assertEquals(50, ledger.balanceOf("bob"));
    }

    @Test
    public void transferKeepsTheTotal() {
        Ledger ledger = new Ledger();
        ledger.deposit("alice", 1000, null);
        ledger.transfer("alice", "bob", 400);
        assertEquals(1000, ledger.total());
        assertEquals(600, ledger.balanceOf("alice"));
        assertEquals(400, ledger.balanceOf("bob"));
    }

    @Test
    public void negativeTransferIsRefused() {
        Ledger ledger = new Ledger();
        assertThrows(IllegalArgumentException.class, () -> ledger.transfer("alice", "bob", -1));
    }

    @Test
    public void accountNumbersBuiltAtRunTimeFindTheirBookings() {
        Ledger ledger = new Ledger();
        for (int i = 1; i <= 3; i++) {
            ledger.deposit("acct-" + i, 100L * i, null);
        }
        for (int i = 1; i <= 3; i++) {
            assertEquals(100L * i, ledger.balanceOf("acct-" + i));
        }
    }
}
