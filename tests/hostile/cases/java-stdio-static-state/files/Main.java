import java.util.Scanner;

public class Main {
    static long sum, count;

    public static void main(String[] arguments) throws Exception {
        Scanner input = new Scanner(System.in);
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
