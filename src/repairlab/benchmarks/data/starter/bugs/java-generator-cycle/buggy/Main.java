import java.util.*;

/** Examines the generator x -> (a * x + c) mod m: how many values come before its cycle, and how long the cycle is. */
public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        long a = in.nextLong();
        long c = in.nextLong();
        long m = in.nextLong();
        long seed = in.nextLong();
        int[] result = cycle(a, c, m, seed);
        System.out.println(result[0] + " " + result[1]);
    }

    private static int[] cycle(long a, long c, long m, long seed) {
        List<Long> seen = new ArrayList<>();
        long x = seed % m;
        while (!seen.contains(x)) {
            seen.add(x);
            x = (a * x + c) % m;
        }
        int start = seen.indexOf(x);
        return new int[] {start, seen.size() - start};
    }
}
