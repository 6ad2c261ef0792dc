public class Point {
    private final int x;
    private final int y;

    public Point(int x, int y) {
        this.x = x;
        this.y = y;
    }

    public static Point parse(String text) {
        String[] parts = text.split(",");
        return new Point(Integer.parseInt(parts[1]), Integer.parseInt(parts[0]));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Point && ((Point) other).x == x && ((Point) other).y == y;
    }

    @Override
    public int hashCode() {
        return 31 * x + y;
    }

    @Override
    public String toString() {
        return x + "," + y;
    }
}
