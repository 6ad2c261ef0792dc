public class AddTest {
    @org.junit.Test
    public void sum() {}
}
