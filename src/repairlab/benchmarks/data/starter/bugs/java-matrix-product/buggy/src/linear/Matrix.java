package linear;

import java.util.Arrays;

/** An immutable matrix of doubles. */
public final class Matrix {
    private final int rows;
    private final int columns;
    private final double[] cells;

    private Matrix(int rows, int columns, double[] cells) {
        this.rows = rows;
        this.columns = columns;
        this.cells = cells;
    }

    public static Matrix of(double[][] values) {
        int rows = values.length;
        int columns = rows == 0 ? 0 : values[0].length;
        double[] cells = new double[rows * columns];
        for (int row = 0; row < rows; row++) {
            if (values[row].length != columns) {
                throw new IllegalArgumentException("row " + row + " has " + values[row].length + " cells, not " + columns);
            }
            System.arraycopy(values[row], 0, cells, row * columns, columns);
        }
        return new Matrix(rows, columns, cells);
    }

    public static Matrix identity(int size) {
        double[] cells = new double[size * size];
        for (int i = 0; i < size; i++) {
            cells[i * size + i] = 1.0;
        }
        return new Matrix(size, size, cells);
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return columns;
    }

    public double get(int row, int column) {
        if (row < 0 || row >= rows || column < 0 || column >= columns) {
            throw new IndexOutOfBoundsException("(" + row + ", " + column + ") in a " + rows + "x" + columns + " matrix");
        }
        return cells[row * columns + column];
    }

    public Matrix transpose() {
        double[] result = new double[cells.length];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                result[column * rows + row] = get(row, column);
            }
        }
        return new Matrix(columns, rows, result);
    }

    public Matrix times(Matrix other) {
        if (columns != other.rows) {
            throw new IllegalArgumentException("no product of " + rows + "x" + columns + " and " + other.rows + "x" + other.columns);
        }
        double[] result = new double[rows * other.columns];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < other.columns; column++) {
                double sum = 0.0;
                for (int k = 0; k < rows; k++) {
                    sum += get(row, k) * other.get(k, column);
                }
                result[row * other.columns + column] = sum;
            }
        }
        return new Matrix(rows, other.columns, result);
    }

    @Override
    public boolean equals(Object object) {
        if (!(object instanceof Matrix)) {
            return false;
        }
        Matrix other = (Matrix) object;
        return rows == other.rows && columns == other.columns && Arrays.equals(cells, other.cells);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * rows + columns) + Arrays.hashCode(cells);
    }

    @Override
    public String toString() {
        return MatrixText.format(this);
    }
}
