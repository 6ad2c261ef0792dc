package linear;

/** Matrices as text: cells separated by blanks, rows by semicolons. */
public final class MatrixText {
    private MatrixText() {
    }

    public static Matrix parse(String text) {
        String[] rows = text.trim().split("\\s*;\\s*");
        double[][] values = new double[rows.length][];
        for (int row = 0; row < rows.length; row++) {
            String[] cells = rows[row].trim().split("\\s+");
            values[row] = new double[cells.length];
            for (int column = 0; column < cells.length; column++) {
                values[row][column] = Double.parseDouble(cells[column]);
            }
        }
        return Matrix.of(values);
    }

    public static String format(Matrix matrix) {
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < matrix.rows(); row++) {
            if (row > 0) {
                text.append("; ");
            }
            for (int column = 0; column < matrix.columns(); column++) {
                if (column > 0) {
                    text.append(' ');
                }
                text.append(matrix.get(row, column));
            }
        }
        return text.toString();
    }
}
