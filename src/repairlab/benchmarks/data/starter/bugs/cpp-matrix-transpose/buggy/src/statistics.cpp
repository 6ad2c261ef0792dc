#include "statistics.hpp"

namespace linalg {

Matrix<double> column_means(const Matrix<double>& samples) {
    if (samples.rows() == 0) {
        throw std::invalid_argument("no samples");
    }
    Matrix<double> means(1, samples.columns());
    for (std::size_t column = 0; column < samples.columns(); ++column) {
        for (std::size_t row = 0; row < samples.rows(); ++row) {
            means.at(0, column) += samples.at(row, column);
        }
        means.at(0, column) /= static_cast<double>(samples.rows());
    }
    return means;
}

Matrix<double> gram(const Matrix<double>& samples) {
    return samples.transposed() * samples;
}

}  // namespace linalg
