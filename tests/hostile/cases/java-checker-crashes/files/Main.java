public class Main {
    public static void main(String[] arguments) {
        System.out.println("-1 5");
    }
}
