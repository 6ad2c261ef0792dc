public class Other {
    public static void main(String[] arguments) {
        System.out.println("3\n2");
    }
}
