import org.junit.Assert;
import org.junit.Test;

public class AddTest {
    @Test
    public void sum() {
        Assert.assertEquals(3, Calc.add(1, 2));
    }

    @Test
    public void negative() {
        Assert.assertEquals(-3, Calc.add(-1, -2));
    }
}
