import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) {
        Scanner input = new Scanner(System.in);
        long sum = 1, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
