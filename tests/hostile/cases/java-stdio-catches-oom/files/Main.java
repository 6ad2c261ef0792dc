import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        java.util.List<byte[]> kept = new java.util.ArrayList<>();
        while (kept != null) try { kept.add(new byte[1 << 20]); } catch (OutOfMemoryError error) { continue; }
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
