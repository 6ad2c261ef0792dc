public class JUnit4Runner {
    public static void main(String[] arguments) {
        System.exit(0);
    }
}
