#ifndef NUM_RATIONAL_HPP
#define NUM_RATIONAL_HPP

#include <string>

namespace num {

/// A fraction of two whole numbers in lowest terms.
class Rational {
  public:
    Rational(long long numerator = 0, long long denominator = 1);

    long long numerator() const { return numerator_; }
    long long denominator() const { return denominator_; }

    Rational operator-() const { return Rational(-numerator_, denominator_); }

    Rational& operator+=(const Rational& other);
    Rational& operator-=(const Rational& other);
    Rational& operator*=(const Rational& other);
    Rational& operator/=(const Rational& other);

    /// "3/4", or "3" for whole numbers.
    std::string str() const;

  private:
    void reduce();

    long long numerator_;
    long long denominator_;
};

inline Rational operator+(Rational left, const Rational& right) { return left += right; }
inline Rational operator-(Rational left, const Rational& right) { return left -= right; }
inline Rational operator*(Rational left, const Rational& right) { return left *= right; }
inline Rational operator/(Rational left, const Rational& right) { return left /= right; }

bool operator==(const Rational& left, const Rational& right);
bool operator<(const Rational& left, const Rational& right);
inline bool operator!=(const Rational& left, const Rational& right) { return !(left == right); }
inline bool operator>(const Rational& left, const Rational& right) { return right < left; }

}  // namespace num

#endif
