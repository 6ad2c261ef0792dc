public class Main {
    public static void main(String[] arguments) {
        int number = new java.util.Scanner(System.in).nextInt();
        System.out.println(number + " " + 1);
    }
}
