import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.Scanner;

/** Prints a timetable: departures of each line from its first one on, every few minutes, before the end of service. */
public class Main {
    public static void main(String[] args) throws IOException {
        Scanner in = new Scanner(System.in);
        Writer out = new BufferedWriter(new OutputStreamWriter(System.out));
        int lines = in.nextInt();
        for (int i = 0; i < lines; i++) {
            String name = in.next();
            int first = minutes(in.next());
            int end = minutes(in.next());
            int every = in.nextInt();
            out.write("Line " + name + "\n");
            printDepartures(first, end, every, out);
        }
        out.flush();
    }

    private static void printDepartures(int first, int end, int every, Writer out) throws IOException {
        for (int minute = first; minute != end; minute += every) {
            out.write(clock(minute) + "\n");
        }
    }

    private static int minutes(String clock) {
        String[] parts = clock.split(":");
        return Integer.parseInt(parts[0]) * 60 + Integer.parseInt(parts[1]);
    }

    private static String clock(int minutes) {
        return twoDigits(minutes / 60 % 24) + ":" + twoDigits(minutes % 60);
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : String.valueOf(number);
    }
}
