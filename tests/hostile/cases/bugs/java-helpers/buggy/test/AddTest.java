import org.junit.jupiter.api.Test;

public class AddTest {
    @Test
    public void sum() {
        Check.same(3, Calc.add(1, 2));
    }

    @Test
    public void negative() {
        Check.same(-3, Calc.add(-1, -2));
    }
}
