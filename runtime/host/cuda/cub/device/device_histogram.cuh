// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: counts of the samples of whole arrays.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

namespace detail {

/// Samples in one or several channels of pixels, in rows that lie so many bytes apart.
struct Pixels {
  Count inRow, rows;
  size_t rowBytes;
};

/// The bin of a sample among equal ones between two levels; less than zero: it is in none.
template <class Sample, class Level>
Count evenBin(Sample sample, int levels, Level lower, Level upper) {
  using Common = std::common_type_t<Sample, Level>;
  const auto value = static_cast<Common>(sample), low = static_cast<Common>(lower),
             high = static_cast<Common>(upper);
  if (value < low || !(value < high))
    return -1;
  const int bins = levels - 1;
  if constexpr (std::is_integral<Common>::value) {
    using Wide = unsigned __int128;
    return static_cast<Count>(static_cast<Wide>(value - low) * static_cast<Wide>(bins) /
                              static_cast<Wide>(high - low));
  } else {
    const Common binsPerUnit = static_cast<Common>(static_cast<Common>(bins) / (high - low));
    return static_cast<int>((value - low) * binsPerUnit);
  }
}
/// The bin of a sample between levels that rise.
template <class Sample, class Level>
Count rangeBin(Sample sample, int levels, const Level *bounds) {
  const auto place =
      std::upper_bound(bounds, bounds + levels, static_cast<Level>(sample)) - bounds - 1;
  return place < levels - 1 ? place : -1;
}

/// Counts the samples of the first channels; `binOf` knows the bin of a sample in a channel.
template <int kChannels, int kActive, class Samples, class Histograms, class Levels, class BinOf>
void countSamples(Samples samples, Histograms &histograms, Levels &levels, Pixels pixels,
                  BinOf binOf) {
  for (int channel = 0; channel < kActive; ++channel)
    for (Count bin = 0; bin + 1 < levels[channel]; ++bin)
      histograms[channel][bin] = 0;
  const auto rowSamples = static_cast<Count>(pixels.rowBytes / sizeof(ValueOf<Samples>));
  for (Count row = 0; row < pixels.rows; ++row)
    for (Count pixel = 0; pixel < pixels.inRow; ++pixel)
      for (int channel = 0; channel < kActive; ++channel) {
        const auto place = row * rowSamples + pixel * kChannels + channel;
        const Count bin = binOf(channel, static_cast<ValueOf<Samples>>(samples[place]));
        // A product that is rounded up ends above the last bin.
        if (bin >= 0 && bin + 1 < levels[channel])
          ++histograms[channel][bin];
      }
}

} // namespace detail

/// Samples outside of all levels are not counted.
struct DeviceHistogram {
  template <class Samples, class Counter, class Level, class Offset>
  static cudaError_t HistogramEven(void *storage, size_t &bytes, Samples samples,
                                   Counter *histogram, int levels, Level lower, Level upper,
                                   Offset count, cudaStream_t = 0, bool = false) {
    return MultiHistogramEven<1, 1>(storage, bytes, samples, &histogram, &levels, &lower, &upper,
                                    count);
  }
  template <class Samples, class Counter, class Level, class Offset>
  static cudaError_t HistogramEven(void *storage, size_t &bytes, Samples samples,
                                   Counter *histogram, int levels, Level lower, Level upper,
                                   Offset rowSamples, Offset rows, size_t rowBytes,
                                   cudaStream_t = 0, bool = false) {
    return MultiHistogramEven<1, 1>(storage, bytes, samples, &histogram, &levels, &lower, &upper,
                                    rowSamples, rows, rowBytes);
  }
  // Per channel: arrays, pointers to their first element or arrays of the library.
  template <int kChannels, int kActive, class Samples, class Histograms, class Levels, class Bounds,
            class Offset>
  static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, Samples samples,
                                        Histograms histograms, Levels levels, Bounds lower,
                                        Bounds upper, Offset pixels, cudaStream_t = 0,
                                        bool = false) {
    return MultiHistogramEven<kChannels, kActive>(storage, bytes, samples, histograms, levels,
                                                  lower, upper, pixels, static_cast<Offset>(1),
                                                  size_t{0});
  }
  template <int kChannels, int kActive, class Samples, class Histograms, class Levels, class Bounds,
            class Offset>
  static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, Samples samples,
                                        Histograms histograms, Levels levels, Bounds lower,
                                        Bounds upper, Offset rowPixels, Offset rows,
                                        size_t rowBytes, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::countSamples<kChannels, kActive>(
          samples, histograms, levels,
          {static_cast<detail::Count>(rowPixels), static_cast<detail::Count>(rows), rowBytes},
          [&](int channel, auto sample) {
            return detail::evenBin(sample, levels[channel], lower[channel], upper[channel]);
          });
    });
  }
  template <class Samples, class Counter, class Level, class Offset>
  static cudaError_t HistogramRange(void *storage, size_t &bytes, Samples samples,
                                    Counter *histogram, int levels, Level *bounds, Offset count,
                                    cudaStream_t = 0, bool = false) {
    return MultiHistogramRange<1, 1>(storage, bytes, samples, &histogram, &levels, &bounds, count);
  }
  template <class Samples, class Counter, class Level, class Offset>
  static cudaError_t HistogramRange(void *storage, size_t &bytes, Samples samples,
                                    Counter *histogram, int levels, Level *bounds,
                                    Offset rowSamples, Offset rows, size_t rowBytes,
                                    cudaStream_t = 0, bool = false) {
    return MultiHistogramRange<1, 1>(storage, bytes, samples, &histogram, &levels, &bounds,
                                     rowSamples, rows, rowBytes);
  }
  template <int kChannels, int kActive, class Samples, class Histograms, class Levels, class Bounds,
            class Offset>
  static cudaError_t MultiHistogramRange(void *storage, size_t &bytes, Samples samples,
                                         Histograms histograms, Levels levels, Bounds bounds,
                                         Offset pixels, cudaStream_t = 0, bool = false) {
    return MultiHistogramRange<kChannels, kActive>(storage, bytes, samples, histograms, levels,
                                                   bounds, pixels, static_cast<Offset>(1),
                                                   size_t{0});
  }
  template <int kChannels, int kActive, class Samples, class Histograms, class Levels, class Bounds,
            class Offset>
  static cudaError_t MultiHistogramRange(void *storage, size_t &bytes, Samples samples,
                                         Histograms histograms, Levels levels, Bounds bounds,
                                         Offset rowPixels, Offset rows, size_t rowBytes,
                                         cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::countSamples<kChannels, kActive>(
          samples, histograms, levels,
          {static_cast<detail::Count>(rowPixels), static_cast<detail::Count>(rows), rowBytes},
          [&](int channel, auto sample) {
            return detail::rangeBin(sample, levels[channel], bounds[channel]);
          });
    });
  }
};

} // namespace cub
