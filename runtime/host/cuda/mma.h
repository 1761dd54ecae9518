// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the matrix units' wmma in half, bfloat16, tf32, double and
// 8-bit integer precision; those of less than a byte are not there. Sums are taken in the order of
// k, which is not the order of the hardware, so that results in floating point may differ in the
// last places.
#pragma once
#define __CUDA_MMA_H__

#include "relayout/host/macros_aside.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#ifdef __CUDACC__ // nothing of it is for host C++

#include <limits>
#include <type_traits>

namespace nvcuda {
namespace wmma {

namespace precision {
struct tf32;
} // namespace precision

enum layout_t { mem_row_major, mem_col_major };

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

} // namespace wmma
} // namespace nvcuda

namespace relayout::host::detail {

namespace wmma = nvcuda::wmma;

/// Which shapes a type of factors has, and the types of sums that go with it.
template <class Factor, int m, int n, int k> struct HasShape {
  static constexpr bool value =
      k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
};
template <int m, int n, int k> struct HasShape<double, m, n, k> {
  static constexpr bool value = m == 8 && n == 8 && k == 4;
};
template <int m, int n, int k> struct HasShape<wmma::precision::tf32, m, n, k> {
  static constexpr bool value = m == 16 && n == 16 && k == 8;
};

template <class Factor> struct IsFactor {
  static constexpr bool value =
      std::is_same<Factor, __half>::value || std::is_same<Factor, __nv_bfloat16>::value ||
      std::is_same<Factor, double>::value || std::is_same<Factor, signed char>::value ||
      std::is_same<Factor, unsigned char>::value ||
      std::is_same<Factor, wmma::precision::tf32>::value;
};

template <class T> struct Stored { using type = T; };
template <> struct Stored<wmma::precision::tf32> { using type = float; };

/// The two sides of a matrix by its use.
template <class Use, int m, int n, int k> struct Sides;
template <int m, int n, int k> struct Sides<wmma::matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k> struct Sides<wmma::matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};
template <int m, int n, int k> struct Sides<wmma::accumulator, m, n, k> {
  static constexpr int rows = m, columns = n;
};

/// Where a matrix of rows x columns lies in the warp: each lane holds `held` of its elements, two
/// neighbours of a row in each part of eight by eight (or one, of a matrix of 32).
template <int rows, int columns> struct Spread {
  static constexpr int held = rows * columns / 32;
  static constexpr int together = held == 1 ? 1 : 2; ///< in a row
  static constexpr int height = rows < 8 ? rows : 8;
  static constexpr int width = 32 * together / height;

  __device__ static int row(int lane, int element) {
    const int tile = element / together;
    return tile / (columns / width) * height + lane / (width / together);
  }
  __device__ static int column(int lane, int element) {
    const int tile = element / together;
    return tile % (columns / width) * width + lane % (width / together) * together +
           element % together;
  }
  __device__ static int lane(int row, int column) {
    return row % height * (width / together) + column % width / together;
  }
  __device__ static int element(int row, int column) {
    return (row / height * (columns / width) + column / width) * together + column % together;
  }
};

} // namespace relayout::host::detail

namespace nvcuda {
namespace wmma {

/// Factors in half precision have as many elements as NVIDIA's, which holds them twice: loops over
/// `num_elements` and over a number that is written out see the same.
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
  using Sides = relayout::host::detail::Sides<Use, m, n, k>;
  static constexpr bool isSum = std::is_same<Use, accumulator>::value;
  static_assert(isSum ? std::is_same<Layout, void>::value
                      : relayout::host::detail::IsFactor<T>::value &&
                            relayout::host::detail::HasShape<T, m, n, k>::value,
                "wmma has no fragment of this shape and type");

public:
  using element_type = T;
  using storage_element_type = typename relayout::host::detail::Stored<T>::type;
  using Spread = relayout::host::detail::Spread<Sides::rows, Sides::columns>;

  enum { num_elements = !isSum && std::is_same<T, __half>::value ? 16 : Spread::held };
  enum { num_storage_elements = num_elements };
  storage_element_type x[num_elements];
};

} // namespace wmma
} // namespace nvcuda

namespace relayout::host::detail {

/// The fragment of another lane of the warp, whose lanes all stand in the same function.
template <class Fragment>
__device__ inline const Fragment *fragmentOf(int lane, const Fragment &own) {
  return reinterpret_cast<const Fragment *>(warp(WarpOperation::Shuffle, 0xffffffffu,
                                                 reinterpret_cast<unsigned long long>(&own),
                                                 static_cast<unsigned int>(lane)));
}

/// The factors as the units take them: tf32 has ten bits behind the point.
template <class T> struct Factor {
  template <class Stored> __device__ static auto of(const Stored &stored) {
    if constexpr (std::is_same<T, wmma::precision::tf32>::value)
      return __uint_as_float(__float_as_uint(stored) & 0xffffe000u);
    else if constexpr (std::is_same<T, __half>::value)
      return __half2float(stored);
    else if constexpr (std::is_same<T, __nv_bfloat16>::value)
      return __bfloat162float(stored);
    else if constexpr (std::is_same<T, double>::value)
      return stored;
    else
      return static_cast<int>(stored);
  }
};

template <class Sum> __device__ inline Sum saturated(long long sum, bool saturates) {
  if (!saturates)
    return static_cast<Sum>(sum);
  const long long least = std::numeric_limits<Sum>::min(), most = std::numeric_limits<Sum>::max();
  return static_cast<Sum>(sum < least ? least : sum > most ? most : sum);
}

} // namespace relayout::host::detail

namespace nvcuda {
namespace wmma {

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &fragment,
                                     const Value &value) {
  using Stored = typename std::remove_reference_t<decltype(fragment)>::storage_element_type;
  for (Stored &element : fragment.x)
    element = static_cast<Stored>(value);
}

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &fragment,
                                        const Memory *matrix, unsigned int stride,
                                        layout_t layout) {
  using Spread = typename std::remove_reference_t<decltype(fragment)>::Spread;
  const int lane = static_cast<int>(relayout::host::detail::laneId());
  for (int i = 0; i < Spread::held; ++i) {
    const unsigned int row = Spread::row(lane, i), column = Spread::column(lane, i);
    fragment.x[i] = matrix[layout == mem_row_major ? row * stride + column : column * stride + row];
  }
  for (int i = Spread::held; i < fragment.num_elements; ++i)
    fragment.x[i] = fragment.x[i % Spread::held];
  __syncwarp();
}

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &fragment,
                                        const Memory *matrix, unsigned int stride) {
  static_assert(!std::is_same<Layout, void>::value, "an accumulator is loaded by a layout_t");
  load_matrix_sync(fragment, matrix, stride,
                   std::is_same<Layout, row_major>::value ? mem_row_major : mem_col_major);
}

template <int m, int n, int k, class T, class Memory>
__device__ inline void store_matrix_sync(Memory *matrix,
                                         const fragment<accumulator, m, n, k, T> &fragment,
                                         unsigned int stride, layout_t layout) {
  using Spread = typename std::remove_reference_t<decltype(fragment)>::Spread;
  const int lane = static_cast<int>(relayout::host::detail::laneId());
  for (int i = 0; i < Spread::held; ++i) {
    const unsigned int row = Spread::row(lane, i), column = Spread::column(lane, i);
    matrix[layout == mem_row_major ? row * stride + column : column * stride + row] = fragment.x[i];
  }
  __syncwarp();
}

/// sums = a * b + addends
template <int m, int n, int k, class T, class OfA, class OfB, class Sum, class Addend>
__device__ inline void
mma_sync(fragment<accumulator, m, n, k, Sum> &sums, const fragment<matrix_a, m, n, k, T, OfA> &a,
         const fragment<matrix_b, m, n, k, T, OfB> &b,
         const fragment<accumulator, m, n, k, Addend> &addends, bool saturates = false) {
  namespace detail = relayout::host::detail;
  using InA = typename std::remove_reference_t<decltype(a)>::Spread;
  using InB = typename std::remove_reference_t<decltype(b)>::Spread;
  using InSums = typename std::remove_reference_t<decltype(sums)>::Spread;
  const std::remove_reference_t<decltype(a)> *ofA[32];
  const std::remove_reference_t<decltype(b)> *ofB[32];
  for (int lane = 0; lane < 32; ++lane) {
    ofA[lane] = detail::fragmentOf(lane, a);
    ofB[lane] = detail::fragmentOf(lane, b);
  }
  const int lane = static_cast<int>(detail::laneId());
  Sum results[InSums::held];
  for (int i = 0; i < InSums::held; ++i) {
    const int row = InSums::row(lane, i), column = InSums::column(lane, i);
    const auto product = [&](int at) {
      return detail::Factor<T>::of(ofA[InA::lane(row, at)]->x[InA::element(row, at)]) *
             detail::Factor<T>::of(ofB[InB::lane(at, column)]->x[InB::element(at, column)]);
    };
    if constexpr (std::is_same<Sum, int>::value) {
      long long sum = addends.x[i];
      for (int at = 0; at < k; ++at)
        sum += product(at);
      results[i] = detail::saturated<int>(sum, saturates);
    } else {
      using Wide = std::conditional_t<std::is_same<Sum, double>::value, double, float>;
      Wide sum = static_cast<Wide>(addends.x[i]);
      for (int at = 0; at < k; ++at)
        sum += product(at);
      results[i] = static_cast<Sum>(sum);
    }
  }
  __syncwarp(); // before then, other lanes read this one's factors
  for (int i = 0; i < InSums::held; ++i)
    sums.x[i] = results[i];
}

/// Rounded to ten bits behind the point, ties away from zero.
__device__ inline float __float_to_tf32(float value) {
  const unsigned int bits = __float_as_uint(value);
  return (bits & 0x7f800000u) == 0x7f800000u ? value
                                             : __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

} // namespace wmma
} // namespace nvcuda

#endif // __CUDACC__

#include "relayout/host/macros_back.h"
