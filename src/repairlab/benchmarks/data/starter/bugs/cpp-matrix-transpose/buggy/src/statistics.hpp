#ifndef LINALG_STATISTICS_HPP
#define LINALG_STATISTICS_HPP

#include "matrix.hpp"

namespace linalg {

/// The mean of every column, as a matrix of one row.
Matrix<double> column_means(const Matrix<double>& samples);

/// The products of all pairs of columns.
Matrix<double> gram(const Matrix<double>& samples);

}  // namespace linalg

#endif
