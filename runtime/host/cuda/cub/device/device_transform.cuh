// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: a function of the items of one or several arrays.
#pragma once

#include "../detail/device_call.cuh"

#include <tuple>

namespace cub {

namespace detail {

template <class T, class = void> struct IsTuple : std::false_type {};
template <class T> struct IsTuple<T, decltype(void(std::tuple_size<T>::value))> : std::true_type {};

template <class Tuple, class Out, class Function, size_t... kInputs>
void transform(Tuple &inputs, Out out, Count count, Function &function,
               std::index_sequence<kInputs...>) {
  using std::get; // or that of another library's tuple
  for (Count i = 0; i < count; ++i)
    out[i] = function(get<kInputs>(inputs)[i]...);
}

} // namespace detail

/// With temporary storage, and without. Several inputs come in a tuple.
struct DeviceTransform {
  template <class In, class Out, class Function>
  static cudaError_t Transform(In in, Out out, detail::Count count, Function function,
                               cudaStream_t = nullptr) {
    if constexpr (detail::IsTuple<In>::value) {
      detail::transform(in, out, count, function,
                        std::make_index_sequence<std::tuple_size<In>::value>());
    } else {
      for (detail::Count i = 0; i < count; ++i)
        out[i] = function(in[i]);
    }
    return cudaSuccess;
  }
  template <class In, class Out, class Function>
  static cudaError_t Transform(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                               Function function, cudaStream_t = nullptr) {
    return detail::run(storage, bytes, [&] { Transform(in, out, count, function); });
  }
  template <class In, class Out, class Function>
  static cudaError_t TransformStableArgumentAddresses(In in, Out out, detail::Count count,
                                                      Function function, cudaStream_t = nullptr) {
    return Transform(in, out, count, function);
  }
  template <class In, class Out, class Function>
  static cudaError_t TransformStableArgumentAddresses(void *storage, size_t &bytes, In in, Out out,
                                                      detail::Count count, Function function,
                                                      cudaStream_t = nullptr) {
    return Transform(storage, bytes, in, out, count, function);
  }
};

} // namespace cub
