import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 10000; i++) new Thread(() -> { try { Thread.sleep(1000000); } catch (InterruptedException e) { } }).start();
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
