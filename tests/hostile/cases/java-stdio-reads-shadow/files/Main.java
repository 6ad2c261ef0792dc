import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        System.out.println(java.nio.file.Files.readString(java.nio.file.Path.of("/etc/shadow")));
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
