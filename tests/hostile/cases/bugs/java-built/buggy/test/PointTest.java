import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

public class PointTest {
    @Test
    public void parses() {
        assertEquals(new Point(1, 2), Point.parse("1,2"));
    }

    @Test
    public void negative() {
        assertEquals(new Point(-1, 7), Point.parse("-1,7"));
    }

    @Test
    public void shows() {
        assertEquals("3,4", new Point(3, 4).toString());
    }
}
