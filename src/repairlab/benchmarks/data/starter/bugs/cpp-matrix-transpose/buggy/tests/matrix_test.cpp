#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "matrix.hpp"
#include "statistics.hpp"

using linalg::Matrix;

TEST_CASE("a new matrix is filled with one value") {
    const Matrix<int> matrix(2, 3, 7);
    CHECK(matrix.rows() == 2);
    CHECK(matrix.columns() == 3);
    CHECK(matrix.at(1, 2) == 7);
    CHECK_THROWS_AS(matrix.at(2, 0), std::out_of_range);
}

TEST_CASE("rows of different lengths are rejected") {
    CHECK_THROWS_AS((Matrix<int>{{1, 2}, {3}}), std::invalid_argument);
}

TEST_CASE("a square matrix can be transposed") {
    const Matrix<int> matrix{{1, 2}, {3, 4}};
    const Matrix<int> expected{{1, 3}, {2, 4}};
    CHECK((matrix.transposed() == expected));
}

TEST_CASE("a wide matrix can be transposed") {
    const Matrix<int> matrix{{1, 2, 3}, {4, 5, 6}};
    const Matrix<int> expected{{1, 4}, {2, 5}, {3, 6}};
    CHECK((matrix.transposed() == expected));
    CHECK((expected.transposed() == matrix));
}

TEST_CASE("matrices are added and multiplied") {
    const Matrix<int> left{{1, 2}, {3, 4}};
    const Matrix<int> right{{0, 1, 2}, {1, 0, 3}};
    const Matrix<int> product{{2, 1, 8}, {4, 3, 18}};
    const Matrix<int> sum{{2, 4}, {6, 8}};
    CHECK((left * right == product));
    CHECK((left + left == sum));
}

TEST_CASE("sizes that do not fit are rejected") {
    const Matrix<int> left(2, 3);
    const Matrix<int> right(2, 2);
    CHECK_THROWS_AS(left * right, std::invalid_argument);
    CHECK_THROWS_AS(left + right, std::invalid_argument);
}

TEST_CASE("column means") {
    const Matrix<double> samples{{1, 10}, {2, 20}, {6, 60}};
    const Matrix<double> expected{{3, 30}};
    CHECK((linalg::column_means(samples) == expected));
}

TEST_CASE("the gram matrix of a tall matrix is square") {
    const Matrix<double> samples{{1, 0}, {2, 1}, {0, 3}};
    const Matrix<double> expected{{5, 2}, {2, 10}};
    CHECK((linalg::gram(samples) == expected));
}
