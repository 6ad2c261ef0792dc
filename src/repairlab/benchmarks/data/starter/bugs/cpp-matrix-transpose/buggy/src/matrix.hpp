#ifndef LINALG_MATRIX_HPP
#define LINALG_MATRIX_HPP

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace linalg {

/// A dense matrix, stored row by row.
template <typename T>
class Matrix {
  public:
    Matrix(std::size_t rows, std::size_t columns, T value = T()) : rows_(rows), columns_(columns), cells_(rows * columns, value) {}

    Matrix(std::initializer_list<std::initializer_list<T>> rows)
        : rows_(rows.size()), columns_(rows.size() == 0 ? 0 : rows.begin()->size()) {
        for (const auto& row : rows) {
            if (row.size() != columns_) {
                throw std::invalid_argument("rows differ in length");
            }
            cells_.insert(cells_.end(), row.begin(), row.end());
        }
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

    T& at(std::size_t row, std::size_t column) { return cells_[index(row, column)]; }
    const T& at(std::size_t row, std::size_t column) const { return cells_[index(row, column)]; }

    Matrix transposed() const {
        Matrix result(rows_, columns_);
        for (std::size_t row = 0; row < rows_; ++row) {
            for (std::size_t column = 0; column < columns_; ++column) {
                result.at(column, row) = at(row, column);
            }
        }
        return result;
    }

    Matrix& operator+=(const Matrix& other) {
        if (rows_ != other.rows_ || columns_ != other.columns_) {
            throw std::invalid_argument("matrices of different sizes cannot be added");
        }
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            cells_[i] += other.cells_[i];
        }
        return *this;
    }

    bool operator==(const Matrix& other) const {
        return rows_ == other.rows_ && columns_ == other.columns_ && cells_ == other.cells_;
    }

  private:
    std::size_t index(std::size_t row, std::size_t column) const {
        if (row >= rows_ || column >= columns_) {
            throw std::out_of_range("index outside the matrix");
        }
        return row * columns_ + column;
    }

    std::size_t rows_;
    std::size_t columns_;
    std::vector<T> cells_;
};

template <typename T>
Matrix<T> operator+(Matrix<T> left, const Matrix<T>& right) {
    left += right;
    return left;
}

template <typename T>
Matrix<T> operator*(const Matrix<T>& left, const Matrix<T>& right) {
    if (left.columns() != right.rows()) {
        throw std::invalid_argument("matrices of these sizes cannot be multiplied");
    }
    Matrix<T> product(left.rows(), right.columns());
    for (std::size_t row = 0; row < left.rows(); ++row) {
        for (std::size_t column = 0; column < right.columns(); ++column) {
            T sum = T();
            for (std::size_t k = 0; k < left.columns(); ++k) {
                sum += left.at(row, k) * right.at(k, column);
            }
            product.at(row, column) = sum;
        }
    }
    return product;
}

}  // namespace linalg

#endif
