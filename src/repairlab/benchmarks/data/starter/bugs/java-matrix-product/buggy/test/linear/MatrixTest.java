package linear;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MatrixTest {
    private static Matrix m(String text) {
        return MatrixText.parse(text);
    }

    @Test
    void productOfSquareMatrices() {
        assertEquals(m("19 22; 43 50"), m("1 2; 3 4").times(m("5 6; 7 8")));
    }

    @Test
    void squareTimesColumn() {
        assertEquals(m("17; 39"), m("1 2; 3 4").times(m("5; 6")));
    }

    @Test
    void identityChangesNothing() {
        Matrix matrix = m("1 2 3; 4 5 6; 7 8 10");
        assertEquals(matrix, matrix.times(Matrix.identity(3)));
        assertNotEquals(matrix, matrix.transpose());
    }

    @Test
    void transposeSwapsRowsAndColumns() {
        assertEquals(m("1 4; 2 5; 3 6"), m("1 2 3; 4 5 6").transpose());
    }

    @Test
    void shapesMustFit() {
        assertThrows(IllegalArgumentException.class, () -> m("1 2; 3 4").times(m("1 2 3")));
        assertThrows(IllegalArgumentException.class, () -> m("1 2; 3"));
    }

    @Test
    void textRoundTrip() {
        assertEquals("1.0 2.5; -3.0 4.0", m(" 1 2.5 ;-3 4 ").toString());
    }

    @Test
    void wideTimesTall() {
        assertEquals(m("58 64; 139 154"), m("1 2 3; 4 5 6").times(m("7 8; 9 10; 11 12")));
    }

    @Test
    void tallTimesWide() {
        assertEquals(m("4 5; 8 10; 12 15"), m("1; 2; 3").times(m("4 5")));
    }

    @Test
    void rowTimesColumnIsTheScalarProduct() {
        assertEquals(m("32"), m("1 2 3").times(m("4; 5; 6")));
    }
}
