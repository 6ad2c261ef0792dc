import java.util.Scanner;

/** Reads a width and a text and prints the text in lines of at most that width. */
public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int width = in.nextInt();
        Wrapper wrapper = new Wrapper(width);
        while (in.hasNext()) {
            wrapper.add(in.next());
        }
        System.out.print(wrapper.finish());
    }
}
