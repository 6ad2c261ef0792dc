import java.nio.file.*;

class Checker {
    public static void main(String[] arguments) throws Exception {
        String[] words = Files.readString(Path.of(arguments[1])).trim().split("\\s+");
        int first = Integer.parseInt(words[0]);
        if (first < 0)
            throw new IllegalArgumentException("negative");
        int[] count = new int[first + 1];
        count[first] = Integer.parseInt(words[1]);
        System.exit(first + count[first] == Integer.parseInt(Files.readString(Path.of(arguments[0])).trim()) ? 0 : 1);
    }
}
