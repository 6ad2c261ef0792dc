package inventory;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Before;
import org.junit.Test;

public class InventoryTest {
    private final Inventory inventory = new Inventory();

    @Before
    public void stock() {
        inventory.receive("bolt", 10);
        inventory.receive("nut", 4);
    }

    @Test
    public void reservingLowersWhatIsAvailable() {
        assertTrue(inventory.reserve("bolt", 7));
        assertEquals(3, inventory.available("bolt"));
        assertEquals(14, inventory.onHand());
    }

    @Test
    public void reservingTooMuchChangesNothing() {
        assertFalse(inventory.reserve("nut", 5));
        assertEquals(4, inventory.available("nut"));
        assertTrue(inventory.reserve("nut", 4));
        assertFalse(inventory.reserve("nut", 1));
    }

    @Test
    public void shippingTakesReservedItems() {
        inventory.reserve("bolt", 6);
        inventory.ship("bolt", 2);
        assertEquals(12, inventory.onHand());
        assertEquals(4, inventory.available("bolt"));
        assertThrows(IllegalStateException.class, () -> inventory.ship("bolt", 5));
    }

    @Test
    public void unknownItemIsNotAvailable() {
        assertEquals(0, inventory.available("washer"));
        assertThrows(UnknownItemException.class, () -> inventory.ship("washer", 1));
    }

    @Test
    public void quantityMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> inventory.reserve("bolt", 0));
        assertThrows(IllegalArgumentException.class, () -> inventory.reserve("washer", -1));
    }

    @Test
    public void orderOfKnownItems() {
        Map<String, Integer> order = new TreeMap<>(Map.of("bolt", 3, "nut", 5));
        assertEquals(List.of("not enough of nut"), new OrderDesk(inventory).take(order));
        assertEquals(7, inventory.available("bolt"));
    }

    @Test
    public void reservingAnUnknownItemSaysSo() {
        UnknownItemException e = assertThrows(UnknownItemException.class, () -> inventory.reserve("washer", 1));
        assertEquals("unknown item washer", e.getMessage());
        assertEquals(0, inventory.available("washer"));
    }

    @Test
    public void orderWithAnUnknownItemServesTheRest() {
        Map<String, Integer> order = new TreeMap<>(Map.of("bolt", 3, "gasket", 1, "nut", 2));
        assertEquals(List.of("unknown item gasket"), new OrderDesk(inventory).take(order));
        assertEquals(7, inventory.available("bolt"));
        assertEquals(2, inventory.available("nut"));
    }
}
