import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

public class AddTest {
    @Test
    public void sum() {
        int expected = 3;
        int actual = Calc.add(1, 2);
        assertEquals(expected, actual);
    }

    @Test
    public void nothing() {
        assertThrows(IllegalArgumentException.class, () -> Calc.parse(""));
    }

    @Test
    public void name() {
        String wanted = "n7";
        assertEquals(wanted, Calc.name(7));
    }
}
