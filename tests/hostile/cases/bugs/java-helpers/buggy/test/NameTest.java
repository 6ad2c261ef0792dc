import org.junit.jupiter.api.Test;

public class NameTest {
    @Test
    public void name() {
        Check.same("n7", Calc.name(7));
    }
}
