// SPDX-License-Identifier: Apache-2.0
// What inline PTX becomes in a lowered program: one function template for each instruction of
// instrument's table, over the instruction's type. Operands are as PTX has them, results first.
#pragma once

#include "../../device_atomic_functions.h"
#include "../../device_functions.h"
#include "../../device_intrinsics.h"
#include "../../device_launch_parameters.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace relayout::host::ptx {

inline unsigned linearThread() {
  return ::threadIdx.x + ::blockDim.x * (::threadIdx.y + ::blockDim.y * ::threadIdx.z);
}

inline unsigned lane() { return linearThread() & 31u; }

/// An operand's bits as the instruction's type: a register of 32 bits may hold a float, and one of
/// 64 a pointer.
template <class T, class From> T as(const From &from) {
  if constexpr (std::is_arithmetic_v<From> &&
                std::is_floating_point_v<T> == std::is_floating_point_v<From>)
    return static_cast<T>(from);
  else if constexpr (std::is_arithmetic_v<From> && sizeof(T) != sizeof(From))
    return static_cast<T>(from);
  else {
    static_assert(sizeof(T) == sizeof(From), "an operand has the size of its instruction");
    T to;
    std::memcpy(&to, &from, sizeof(T));
    return to;
  }
}

template <class Out, class T> void put(Out &out, T value) { out = as<Out>(value); }

/// An address operand: a pointer, or a register that holds one.
template <class T, class P> T *address(P pointer) {
  if constexpr (std::is_pointer_v<P>)
    return reinterpret_cast<T *>(const_cast<std::remove_cv_t<std::remove_pointer_t<P>> *>(pointer));
  else
    return reinterpret_cast<T *>(static_cast<std::uintptr_t>(pointer));
}
template <class P> char *at(P pointer, long bytes) { return address<char>(pointer) + bytes; }

template <class T, class D, class A> void move(D &d, A a) {
  if constexpr (std::is_pointer_v<A>)
    put(d, reinterpret_cast<T>(a));
  else
    put(d, as<T>(a));
}

#define RELAYOUT_PTX_UNARY(name, expression)                                                       \
  template <class T, class D, class A> void name(D &d, A first) {                                  \
    const T a = as<T>(first);                                                                      \
    put(d, expression);                                                                            \
  }
#define RELAYOUT_PTX_BINARY(name, expression)                                                      \
  template <class T, class D, class A, class B> void name(D &d, A first, B second) {               \
    const T a = as<T>(first), b = as<T>(second);                                                   \
    put(d, expression);                                                                            \
  }
#define RELAYOUT_PTX_TERNARY(name, expression)                                                     \
  template <class T, class D, class A, class B, class C>                                           \
  void name(D &d, A first, B second, C third) {                                                    \
    const T a = as<T>(first), b = as<T>(second), c = as<T>(third);                                 \
    put(d, expression);                                                                            \
  }

/// Integers wrap around; their arithmetic is unsigned.
template <class T> constexpr auto modular(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::common_type_t<std::make_unsigned_t<T>, unsigned>>(value);
  else
    return value;
}
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

RELAYOUT_PTX_BINARY(add, static_cast<T>(modular(a) + modular(b)))
RELAYOUT_PTX_BINARY(subtract, static_cast<T>(modular(a) - modular(b)))
RELAYOUT_PTX_BINARY(multiply, static_cast<T>(modular(a) * modular(b)))
RELAYOUT_PTX_BINARY(multiplyHigh,
                    static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >>
                                   (8 * sizeof(T))))
RELAYOUT_PTX_BINARY(multiplyWide, static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b))
RELAYOUT_PTX_TERNARY(multiplyAdd, static_cast<T>(modular(a) * modular(b) + modular(c)))
template <class T, class D, class A, class B, class C> void multiplyAddWide(D &d, A a, B b, C c) {
  put(d, static_cast<Wide<T>>(static_cast<Wide<T>>(as<T>(a)) * static_cast<Wide<T>>(as<T>(b)) +
                              as<Wide<T>>(c)));
}
/// The thread's carry, which instructions for long numbers pass on. Of a difference it is set where
/// one was borrowed.
inline thread_local unsigned carry = 0;

/// a + b + in; `Out` tells whether the carry out is kept, else it stays.
template <bool Out, class T> T sumWith(T a, T b, unsigned in) {
  const auto first = static_cast<std::make_unsigned_t<T>>(a);
  const auto partial = static_cast<std::make_unsigned_t<T>>(first + b);
  const auto sum = static_cast<std::make_unsigned_t<T>>(partial + in);
  if (Out)
    carry = (partial < first ? 1u : 0u) | (sum < partial ? 1u : 0u);
  return static_cast<T>(sum);
}
/// a - b - in.
template <bool Out, class T> T differenceWith(T a, T b, unsigned in) {
  const auto first = static_cast<std::make_unsigned_t<T>>(a);
  const auto second = static_cast<std::make_unsigned_t<T>>(b);
  const auto partial = static_cast<std::make_unsigned_t<T>>(first - second);
  if (Out)
    carry = (first < second ? 1u : 0u) | (partial < in ? 1u : 0u);
  return static_cast<T>(partial - in);
}
template <class T> T lowProduct(T a, T b) { return static_cast<T>(modular(a) * modular(b)); }
template <class T> T highProduct(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> (8 * sizeof(T)));
}

RELAYOUT_PTX_TERNARY(multiplyAddHigh, sumWith<false>(highProduct(a, b), c, 0))
RELAYOUT_PTX_BINARY(addCarrying, sumWith<true>(a, b, 0))
RELAYOUT_PTX_BINARY(addCarry, sumWith<false>(a, b, carry))
RELAYOUT_PTX_BINARY(addCarryCarrying, sumWith<true>(a, b, carry))
RELAYOUT_PTX_BINARY(subtractBorrowing, differenceWith<true>(a, b, 0))
RELAYOUT_PTX_BINARY(subtractBorrow, differenceWith<false>(a, b, carry))
RELAYOUT_PTX_BINARY(subtractBorrowBorrowing, differenceWith<true>(a, b, carry))
RELAYOUT_PTX_TERNARY(multiplyAddCarrying, sumWith<true>(lowProduct(a, b), c, 0))
RELAYOUT_PTX_TERNARY(multiplyAddHighCarrying, sumWith<true>(highProduct(a, b), c, 0))
RELAYOUT_PTX_TERNARY(multiplyAddCarry, sumWith<false>(lowProduct(a, b), c, carry))
RELAYOUT_PTX_TERNARY(multiplyAddHighCarry, sumWith<false>(highProduct(a, b), c, carry))
RELAYOUT_PTX_TERNARY(multiplyAddCarryCarrying, sumWith<true>(lowProduct(a, b), c, carry))
RELAYOUT_PTX_TERNARY(multiplyAddHighCarryCarrying, sumWith<true>(highProduct(a, b), c, carry))
RELAYOUT_PTX_BINARY(setIfEqual, a == b ? ~0u : 0u)
RELAYOUT_PTX_BINARY(setIfDifferent, a != b ? ~0u : 0u)
RELAYOUT_PTX_BINARY(setIfLess, a < b ? ~0u : 0u)
RELAYOUT_PTX_BINARY(setIfGreater, a > b ? ~0u : 0u)
RELAYOUT_PTX_TERNARY(fusedMultiplyAdd, std::fma(a, b, c))
RELAYOUT_PTX_BINARY(divide, static_cast<T>(a / b))
RELAYOUT_PTX_BINARY(remainder, static_cast<T>(a % b))
/// Of a number and no number, the number.
template <class T> T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin(a, b);
  else
    return b < a ? b : a;
}
template <class T> T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax(a, b);
  else
    return a < b ? b : a;
}
RELAYOUT_PTX_BINARY(minimum, smaller<T>(a, b))
RELAYOUT_PTX_BINARY(maximum, larger<T>(a, b))
RELAYOUT_PTX_TERNARY(minimumOfMinimum, smaller<T>(smaller<T>(a, b), c))
RELAYOUT_PTX_TERNARY(maximumOfMinimum, larger<T>(smaller<T>(a, b), c))
RELAYOUT_PTX_TERNARY(minimumOfMaximum, smaller<T>(larger<T>(a, b), c))
RELAYOUT_PTX_TERNARY(maximumOfMaximum, larger<T>(larger<T>(a, b), c))
RELAYOUT_PTX_UNARY(magnitude, static_cast<T>(a < T(0) ? T(0) - a : a))
RELAYOUT_PTX_UNARY(negate, static_cast<T>(-modular(a)))
RELAYOUT_PTX_BINARY(bitAnd, static_cast<T>(a &b))
RELAYOUT_PTX_BINARY(bitOr, static_cast<T>(a | b))
RELAYOUT_PTX_BINARY(bitXor, static_cast<T>(a ^ b))
RELAYOUT_PTX_UNARY(bitNot, static_cast<T>(~a))

// Shifts by more than the width give what is left of the value: nothing, or its sign.
template <class T, class D, class A, class B> void shiftLeft(D &d, A first, B second) {
  const unsigned by = as<unsigned>(second);
  put(d, by >= 8 * sizeof(T) ? T(0) : static_cast<T>(modular(as<T>(first)) << by));
}
template <class T, class D, class A, class B> void shiftRight(D &d, A first, B second) {
  const unsigned by = as<unsigned>(second);
  const T a = as<T>(first);
  put(d, by < 8 * sizeof(T) ? static_cast<T>(a >> by) : static_cast<T>(a < T(0) ? -1 : 0));
}

template <class T, class D, class A> void countBits(D &d, A first) {
  put(d, static_cast<unsigned>(__popcll(static_cast<unsigned long long>(as<T>(first)))));
}
template <class T, class D, class A> void countLeadingZeros(D &d, A first) {
  const auto bits = static_cast<unsigned long long>(as<T>(first));
  put(d, static_cast<unsigned>(__clzll(static_cast<long long>(bits))) -
             static_cast<unsigned>(64 - 8 * sizeof(T)));
}
template <class T, class D, class A> void reverseBits(D &d, A first) {
  const auto bits = static_cast<unsigned long long>(as<T>(first));
  put(d, static_cast<T>(__brevll(bits) >> (64 - 8 * sizeof(T))));
}
template <class T, class D, class A> void findHighestBit(D &d, A first) {
  T a = as<T>(first);
  if (a < T(0))
    a = static_cast<T>(~a);
  const auto bits = static_cast<unsigned long long>(a);
  put(d, static_cast<unsigned>(63 - __clzll(static_cast<long long>(bits))));
}

/// Sign extension starts at the field's last bit, or at the value's where the field goes beyond.
template <class T, class D, class A, class B, class C>
void extractField(D &d, A first, B second, C third) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned from = as<unsigned>(second) & 0xffu, length = as<unsigned>(third) & 0xffu;
  const auto bits =
      static_cast<unsigned long long>(static_cast<std::make_unsigned_t<T>>(as<T>(first)));
  unsigned long long field = from < kBits ? bits >> from : 0;
  if (length < 64)
    field &= (1ull << length) - 1;
  const unsigned last = from + length - 1 < kBits - 1 ? from + length - 1 : kBits - 1;
  if (std::is_signed_v<T> && length != 0 && (bits >> last & 1) != 0 && length < 64) {
    const unsigned kept = from + length <= kBits ? length : from < kBits ? kBits - from : 0;
    field |= ~0ull << kept;
  }
  put(d, static_cast<T>(field));
}
template <class T, class D, class A, class B, class C, class E>
void insertField(D &d, A first, B second, C third, E fourth) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned at = as<unsigned>(third) & 0xffu, length = as<unsigned>(fourth) & 0xffu;
  const T into = as<T>(second);
  if (at >= kBits || length == 0)
    return put(d, into);
  const T mask = static_cast<T>((length >= kBits ? ~T(0) : (T(1) << length) - 1) << at);
  put(d, static_cast<T>((into & ~mask) | (as<T>(first) << at & mask)));
}
RELAYOUT_PTX_TERNARY(permuteBytes, __byte_perm(a, b, c))
template <class T, class D, class A, class B, class C>
void logic3(D &d, A first, B second, C third, unsigned table) {
  const T a = as<T>(first), b = as<T>(second), c = as<T>(third);
  T result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if ((table >> row & 1) != 0)
      result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  put(d, result);
}
RELAYOUT_PTX_TERNARY(funnelLeft, __funnelshift_l(a, b, c))
RELAYOUT_PTX_TERNARY(funnelRight, __funnelshift_r(a, b, c))
RELAYOUT_PTX_TERNARY(funnelLeftClamped, __funnelshift_lc(a, b, c))
RELAYOUT_PTX_TERNARY(funnelRightClamped, __funnelshift_rc(a, b, c))

template <class T, class D, class A, class B, class C>
void findNthSet(D &d, A mask, B base, C offset) {
  put(d, ::__fns(as<unsigned>(mask), as<unsigned>(base), as<int>(offset)));
}

RELAYOUT_PTX_UNARY(reciprocal, T(1) / a)
RELAYOUT_PTX_UNARY(squareRoot, std::sqrt(a))
RELAYOUT_PTX_UNARY(reciprocalRoot, T(1) / std::sqrt(a))
RELAYOUT_PTX_UNARY(exponential2, std::exp2(a))
RELAYOUT_PTX_UNARY(logarithm2, std::log2(a))
RELAYOUT_PTX_UNARY(sine, std::sin(a))
RELAYOUT_PTX_UNARY(cosine, std::cos(a))
RELAYOUT_PTX_UNARY(hyperbolicTangent, std::tanh(a))

template <class T, class D, class P> void load(D &d, P from) {
  put(d, *address<const volatile T>(from));
}
template <class T, class D, class P> void load(D &x, D &y, P from) {
  const T *const values = address<const T>(from);
  put(x, values[0]);
  put(y, values[1]);
}
template <class T, class D, class P> void load(D &x, D &y, D &z, D &w, P from) {
  const T *const values = address<const T>(from);
  put(x, values[0]);
  put(y, values[1]);
  put(z, values[2]);
  put(w, values[3]);
}
template <class T, class P, class A> void store(P to, A a) { *address<volatile T>(to) = as<T>(a); }
template <class T, class P, class A> void store(P to, A x, A y) {
  address<T>(to)[0] = as<T>(x);
  address<T>(to)[1] = as<T>(y);
}
template <class T, class P, class A> void store(P to, A x, A y, A z, A w) {
  T *const values = address<T>(to);
  values[0] = as<T>(x);
  values[1] = as<T>(y);
  values[2] = as<T>(z);
  values[3] = as<T>(w);
}
template <class T, class P, class A> void reduceAdd(P to, A a) {
  ::atomicAdd(address<T>(to), as<T>(a));
}
template <class T, class D, class P, class A> void atomicAddInto(D &d, P to, A a) {
  put(d, ::atomicAdd(address<T>(to), as<T>(a)));
}
template <class T, class D, class P, class A> void atomicExchangeInto(D &d, P to, A a) {
  put(d, ::atomicExch(address<T>(to), as<T>(a)));
}
template <class T, class D, class P, class A, class B>
void atomicCompareInto(D &d, P to, A a, B b) {
  put(d, ::atomicCAS(address<T>(to), as<T>(a), as<T>(b)));
}
template <class T, class P> void prefetch(P) {}
template <class T> void fence() { ::__threadfence_system(); }

/// The lanes of a segment, as the third operand of a shuffle says them.
template <class C> int segmentWidth(C limits) {
  return 32 - static_cast<int>(as<unsigned>(limits) >> 8 & 31u);
}
/// No assembler takes one without a mask: a function that has it is used by nothing.
#define RELAYOUT_PTX_SHUFFLE(name, function)                                                       \
  template <class T, class D, class A, class B, class C, class M = unsigned>                       \
  void name(D &d, A a, B b, C limits, M mask = ~0u) {                                              \
    put(d, ::function(as<unsigned>(mask), as<T>(a), as<int>(b), segmentWidth(limits)));            \
  }
RELAYOUT_PTX_SHUFFLE(shuffle, __shfl_sync)
RELAYOUT_PTX_SHUFFLE(shuffleUp, __shfl_up_sync)
RELAYOUT_PTX_SHUFFLE(shuffleDown, __shfl_down_sync)
RELAYOUT_PTX_SHUFFLE(shuffleXor, __shfl_xor_sync)
#undef RELAYOUT_PTX_SHUFFLE

template <class T> void exitThread() { detail::exitThread(); }
/// Also a breakpoint: without a debugger the launch fails.
template <class T> void trap() { ::__trap(); }

#undef RELAYOUT_PTX_UNARY
#undef RELAYOUT_PTX_BINARY
#undef RELAYOUT_PTX_TERNARY

} // namespace relayout::host::ptx
