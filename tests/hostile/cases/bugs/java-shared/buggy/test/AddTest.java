import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

public class AddTest {
    public static final int SUM = 3;

    @Test
    public void sum() {
        Assertions.assertEquals(SUM, Calc.add(1, 2));
    }

    @Test
    public void negative() {
        Assertions.assertEquals(SUM, Calc.add(5, -2));
    }
}
