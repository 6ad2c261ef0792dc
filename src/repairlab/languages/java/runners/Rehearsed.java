import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Scanner;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A program that uses what programs use, so that the JVM can write down the classes of it. */
public class Rehearsed {
    private interface Shape {
        double area();
    }

    private enum Colour { RED, GREEN }

    public static void main(String[] arguments) throws Exception {
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(reader.readLine().trim());
        StringTokenizer words = new StringTokenizer(reader.readLine());
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            numbers.add(Integer.parseInt(words.nextToken()));
        }
        Scanner scanner = new Scanner("1 2.5 x\nline\n");
        double sum = scanner.nextInt() + scanner.nextDouble() + scanner.next().length() + scanner.nextLine().length();
        while (scanner.hasNextLine()) {
            sum += scanner.nextLine().split(" ").length;
        }
        Map<String, Integer> counts = new HashMap<>();
        for (Map<String, Integer> map : List.of(counts, new TreeMap<String, Integer>(), new LinkedHashMap<String, Integer>())) {
            map.merge("a", 1, Integer::sum);
            map.computeIfAbsent("b", key -> key.length());
            map.forEach((key, value) -> numbers.add(value));
        }
        PriorityQueue<Integer> queue = new PriorityQueue<>(Collections.reverseOrder());
        queue.addAll(new HashSet<>(numbers));
        queue.addAll(new TreeSet<>(new LinkedList<>(new ArrayDeque<>(numbers))));
        numbers.sort((a, b) -> b - a);
        Collections.sort(numbers);
        Shape shape = () -> 2.0;
        int[] array = numbers.stream().mapToInt(Integer::intValue).toArray();
        Arrays.sort(array);
        StringBuilder text = new StringBuilder();
        text.append(array.length).append(' ').append(shape.area()).append(Colour.valueOf("RED")).reverse();
        switch (Colour.GREEN) {
            case RED:
                text.append("red");
                break;
            default:
                text.append("green");
        }
        String joined = numbers.stream().map(String::valueOf).filter(word -> !word.isEmpty()).collect(Collectors.joining(","));
        System.out.println(joined + " " + sum + " " + queue.poll() + text);
        System.out.printf("%d %.3f %5s%n", array[0], sum, joined);
        System.out.print(String.format("%02d:%s", n, "x") + String.join("-", "a", "b") + "a,b".replaceAll("[a-z]", "c"));
        PrintWriter writer = new PrintWriter(System.out);
        writer.println(Math.max(1L, Long.parseLong("2")) + Math.sqrt(2));
        writer.flush();
        throw new IllegalStateException("as programs do at times");
    }
}
