// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: the numbers that vectors and matrices hold, with arithmetic on them.
#pragma once

#include <cmath>

namespace relayout::host::blas {

/// A complex number with arithmetic. It adds no member to CUDA's pair, so that an array of pairs
/// is read as an array of these; and none of its operators is seen where a program uses pairs.
template <class Pair> struct Complex : Pair {
  using Real = decltype(Pair::x);

  Complex() = default;
  Complex(const Pair &pair) : Pair(pair) {}
  Complex(Real re, Real im = 0) : Pair{re, im} {}

  friend Complex operator+(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; }
  friend Complex operator-(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; }
  friend Complex operator-(Complex a) { return {-a.x, -a.y}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
  }
  friend Complex operator/(Complex a, Complex b) {
    // Scaled, so that the square of the divisor's size does not overflow.
    const Real scale = 1 / (std::abs(b.x) + std::abs(b.y));
    const Complex above(a.x * scale, a.y * scale), below(b.x * scale, b.y * scale);
    const Real inverse = 1 / (below.x * below.x + below.y * below.y);
    return {(above.x * below.x + above.y * below.y) * inverse,
            (above.y * below.x - above.x * below.y) * inverse};
  }
  friend bool operator==(Complex a, Complex b) { return a.x == b.x && a.y == b.y; }
  Complex &operator+=(Complex b) { return *this = *this + b; }
  Complex &operator-=(Complex b) { return *this = *this - b; }
  Complex &operator*=(Complex b) { return *this = *this * b; }
};

// What a pointer of cuBLAS's interface points to, as numbers to calculate with.
inline float *numbers(float *x) { return x; }
inline double *numbers(double *x) { return x; }
inline const float *numbers(const float *x) { return x; }
inline const double *numbers(const double *x) { return x; }
inline Complex<cuComplex> *numbers(cuComplex *x) { return static_cast<Complex<cuComplex> *>(x); }
inline Complex<cuDoubleComplex> *numbers(cuDoubleComplex *x) {
  return static_cast<Complex<cuDoubleComplex> *>(x);
}
inline const Complex<cuComplex> *numbers(const cuComplex *x) {
  return static_cast<const Complex<cuComplex> *>(x);
}
inline const Complex<cuDoubleComplex> *numbers(const cuDoubleComplex *x) {
  return static_cast<const Complex<cuDoubleComplex> *>(x);
}

inline float conjugate(float a) { return a; }
inline double conjugate(double a) { return a; }
template <class Pair> Complex<Pair> conjugate(Complex<Pair> a) { return {a.x, -a.y}; }

inline float realPart(float a) { return a; }
inline double realPart(double a) { return a; }
template <class Pair> auto realPart(Complex<Pair> a) { return a.x; }

/// What BLAS takes for the size of a number: of a complex one, the sum of both parts' sizes.
inline float size(float a) { return std::abs(a); }
inline double size(double a) { return std::abs(a); }
template <class Pair> auto size(Complex<Pair> a) { return std::abs(a.x) + std::abs(a.y); }

} // namespace relayout::host::blas
