import org.junit.Assert;
import org.junit.Test;

public class NameTest {
    @Test
    public void name() {
        Assert.assertEquals("n7", Calc.name(7));
    }
}
