// SPDX-License-Identifier: Apache-2.0
// Executor: arithmetic in the rounding directions that kernels ask for. The processor's own mode is
// switched; volatile operands keep compilers from computing earlier or later.
#include "cuda_runtime.h"

#include <cfenv>
#include <cmath>

namespace relayout::host::detail {
namespace {

class RoundingMode {
public:
  explicit RoundingMode(Direction direction) : before_(std::fegetround()) {
    std::fesetround(direction == Direction::Zero ? FE_TOWARDZERO
                    : direction == Direction::Up ? FE_UPWARD
                                                 : FE_DOWNWARD);
  }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode &) = delete;
  RoundingMode &operator=(const RoundingMode &) = delete;

private:
  int before_;
};

template <class T> T compute(Arithmetic operation, Direction direction, T a, T b, T c) {
  const volatile T first = a, second = b, third = c;
  volatile T result = 0;
  const RoundingMode mode(direction);
  switch (operation) {
  case Arithmetic::Add:
    result = first + second;
    break;
  case Arithmetic::Subtract:
    result = first - second;
    break;
  case Arithmetic::Multiply:
    result = first * second;
    break;
  case Arithmetic::Divide:
    result = first / second;
    break;
  case Arithmetic::SquareRoot:
    result = std::sqrt(static_cast<T>(first));
    break;
  case Arithmetic::MultiplyAdd:
    result = std::fma(static_cast<T>(first), static_cast<T>(second), static_cast<T>(third));
    break;
  }
  return result;
}

template <class To, class From> To convert(Direction direction, From value) {
  const volatile From given = value;
  const RoundingMode mode(direction);
  const volatile To result = static_cast<To>(given);
  return result;
}

} // namespace

template <> float directed(Arithmetic operation, Direction direction, float a, float b, float c) {
  return compute(operation, direction, a, b, c);
}
template <>
double directed(Arithmetic operation, Direction direction, double a, double b, double c) {
  return compute(operation, direction, a, b, c);
}

#define RELAYOUT_CONVERSION(To, From)                                                              \
  template <> To directedTo(Direction direction, From value) {                                     \
    return convert<To>(direction, value);                                                          \
  }
RELAYOUT_CONVERSION(float, double)
RELAYOUT_CONVERSION(float, int)
RELAYOUT_CONVERSION(float, unsigned int)
RELAYOUT_CONVERSION(float, long long)
RELAYOUT_CONVERSION(float, unsigned long long)
RELAYOUT_CONVERSION(double, long long)
RELAYOUT_CONVERSION(double, unsigned long long)

} // namespace relayout::host::detail
