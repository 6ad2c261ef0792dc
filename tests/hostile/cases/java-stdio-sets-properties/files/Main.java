import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Tokyo"));
        java.util.Locale.setDefault(java.util.Locale.forLanguageTag("tr"));
        System.setProperty("line.separator", "x");
        Scanner input = new Scanner(System.in);
        long sum = 0, count = 0;
        while (input.hasNextLong()) {
            sum += input.nextLong();
            count++;
        }
        System.out.println(sum + "\n" + count);
    }
}
