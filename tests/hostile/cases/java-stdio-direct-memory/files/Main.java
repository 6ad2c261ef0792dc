import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        java.util.List<Object> kept = new java.util.ArrayList<>();
        while (kept != null) kept.add(java.nio.ByteBuffer.allocateDirect(1 << 24));
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
