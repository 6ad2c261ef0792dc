import java.util.Scanner;

/** Everybody shakes hands once with everybody else at the same table; prints the number of handshakes in the hall. */
public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int tables = in.nextInt();
        long handshakes = 0;
        long largest = 0;
        for (int i = 0; i < tables; i++) {
            int guests = in.nextInt();
            handshakes += guests * (guests - 1) / 2;
            largest = Math.max(largest, guests);
        }
        System.out.println(handshakes + " " + largest);
    }
}
