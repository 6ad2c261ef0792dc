package bank;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class LedgerReaderTest {
    private static final String BOOK = "# January\nalice; 1000; salary\n\nbob;250\nalice;-300;rent; first half\n";

    @Test
    public void balanceOfAnImportedAccount() {
        Ledger ledger = LedgerReader.read(BOOK);
        assertEquals(700, ledger.balanceOf("alice"));
        assertEquals(250, ledger.balanceOf("bob"));
        assertEquals(0, ledger.balanceOf("carol"));
    }

    @Test
    public void commentsAndBlankLinesAreSkipped() {
        Ledger ledger = LedgerReader.read(BOOK);
        assertEquals(3, ledger.entries().size());
        assertEquals(950, ledger.total());
        assertEquals("[alice, bob]", ledger.accounts().toString());
    }

    @Test
    public void memoMayHoldSemicolons() {
        assertEquals("alice -300 (rent; first half)", LedgerReader.read(BOOK).entries().get(2).toString());
    }

    @Test
    public void lineWithoutAmountIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> LedgerReader.read("alice"));
    }
}
