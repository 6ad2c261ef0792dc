import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        while (arguments.length == 0) System.out.println("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
