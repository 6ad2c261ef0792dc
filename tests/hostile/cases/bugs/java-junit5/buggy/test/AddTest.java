import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

public class AddTest {
    @Test
    public void sum() {
        Assertions.assertEquals(3, Calc.add(1, 2));
    }

    @Test
    public void negative() {
        Assertions.assertEquals(-3, Calc.add(-1, -2));
    }
}
