import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

public class NameTest {
    @Test
    public void name() {
        Assertions.assertEquals("n7", Calc.name(7));
    }
}
