package shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

public class BranchNUMBERTest {
    private static final LocalDate MONDAY = LocalDate.of(2024, 1, 1);
    private final BranchNUMBER branch = new BranchNUMBER();

    @Before
    public void fill() {
        branch.stock().add("nails", 100, 5);
        branch.stock().add("hammer", 3, 1500);
        branch.shift().open(DayOfWeek.MONDAY, "09:00", "18:00");
        branch.shift().open(DayOfWeek.SATURDAY, "10:00", "14:00");
    }

    @Test
    public void largestDepositsComeFirst() {
        for (long cents : new long[] {300, 1200, 50, 800}) {
            branch.account().deposit("sale", cents);
        }
        branch.account().withdraw("rent", 1000);
        assertEquals(List.of(1200L, 800L), branch.account().largest(2));
        assertEquals(List.of(1200L, 800L, 300L, 50L), branch.account().largest(9));
    }

    @Test
    public void sellingMovesGoodsAndMoney() {
        assertTrue(branch.sell("hammer", 2, 1500, MONDAY, LocalTime.NOON));
        assertEquals(1, branch.stock().count("hammer"));
        assertEquals(3000, branch.account().balance());
    }

    @Test
    public void nothingIsSoldWhileClosed() {
        assertFalse(branch.sell("hammer", 1, 1500, MONDAY, LocalTime.of(18, 0)));
        assertFalse(branch.sell("hammer", 1, 1500, MONDAY.plusDays(1), LocalTime.NOON));
    }

    @Test
    public void nothingIsSoldThatIsNotThere() {
        assertFalse(branch.sell("hammer", 4, 1500, MONDAY, LocalTime.NOON));
        assertEquals(3, branch.stock().count("hammer"));
    }

    @Test
    public void hoursOfAWeekAreAddedUp() {
        assertEquals(Duration.ofHours(13), branch.shift().week());
        assertEquals(MONDAY.plusDays(5), branch.shift().nextOpenDay(MONDAY.plusDays(1)));
    }

    @Test
    public void stockHasAValue() {
        assertEquals(100 * 5 + 3 * 1500, branch.stock().value());
        assertEquals("hammer", branch.stock().dearest().orElseThrow());
    }

    @Test
    public void amountsMustBeCovered() {
        branch.account().deposit("start", 100);
        assertThrows(IllegalArgumentException.class, () -> branch.account().withdraw("too much", 101));
        assertThrows(IllegalArgumentException.class, () -> branch.account().deposit("nothing", 0));
    }

    @Test
    public void aReportNamesAll() {
        branch.sell("nails", 100, 5, MONDAY, LocalTime.NOON);
        assertEquals("branch NUMBER: 500 cents, hammer 3", branch.report());
    }
}
