// SPDX-License-Identifier: Apache-2.0
// cuFFT on the CPU executor: kissfft's transforms in double precision, whatever the data's, along
// one axis after the other. Results are not scaled, as cuFFT's are not.
#include "cufft.h"

#include <kissfft/kissfft.hh>

#include <array>
#include <complex>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace relayout::host {
namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>; ///< of one batch, the last axis fastest

constexpr int kMostAxes = 3;

/// How the elements of one side of a plan lie in memory; lengths in elements of its type.
struct Placement {
  std::array<std::size_t, kMostAxes> pitch{}; ///< between neighbours along each axis
  std::size_t distance = 0;                   ///< between batches
};

struct Plan {
  cufftType type = CUFFT_C2C;
  std::vector<std::size_t> lengths; ///< of the transform, by axis; empty until it is made
  std::size_t batches = 0;
  /// Where the caller names none, real data in place are padded to the length of their results.
  std::optional<Placement> in, out;
};

class Plans {
public:
  static Plans &instance() {
    static auto *const kPlans = new Plans;
    return *kPlans;
  }
  cufftHandle add() {
    const std::scoped_lock lock(mutex_);
    plans_[++last_];
    return last_;
  }
  bool set(cufftHandle handle, Plan plan) {
    const std::scoped_lock lock(mutex_);
    const auto known = plans_.find(handle);
    if (known == plans_.end())
      return false;
    known->second = std::move(plan);
    return true;
  }
  std::optional<Plan> find(cufftHandle handle) {
    const std::scoped_lock lock(mutex_);
    const auto known = plans_.find(handle);
    return known == plans_.end() ? std::nullopt : std::optional(known->second);
  }
  bool remove(cufftHandle handle) {
    const std::scoped_lock lock(mutex_);
    return plans_.erase(handle) != 0;
  }

private:
  std::mutex mutex_;
  cufftHandle last_ = 0;
  std::map<cufftHandle, Plan> plans_;
};

bool isFromReal(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
bool isToReal(cufftType type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }

/// Of a real signal only the first half of the spectrum's last axis is kept.
std::vector<std::size_t> halved(std::vector<std::size_t> lengths) {
  lengths.back() = lengths.back() / 2 + 1;
  return lengths;
}

std::size_t elementsOf(const std::vector<std::size_t> &lengths) {
  std::size_t elements = 1;
  for (const std::size_t length : lengths)
    elements *= length;
  return elements;
}

/// Elements one behind the other, in rows of `row`.
Placement packed(const std::vector<std::size_t> &lengths, std::size_t row) {
  Placement result;
  std::size_t pitch = 1;
  for (std::size_t axis = lengths.size(); axis-- > 0;) {
    result.pitch[axis] = pitch;
    pitch *= axis + 1 == lengths.size() ? row : lengths[axis];
  }
  result.distance = pitch;
  return result;
}

/// Calls `visit(place in the signal, place in memory)` for all elements of a batch.
template <class Visit>
void forEachElement(const std::vector<std::size_t> &lengths, const Placement &placement,
                    std::size_t batch, Visit visit) {
  std::array<std::size_t, kMostAxes> at{};
  const std::size_t elements = elementsOf(lengths);
  for (std::size_t i = 0; i < elements; ++i) {
    std::size_t place = batch * placement.distance;
    for (std::size_t axis = 0; axis < lengths.size(); ++axis)
      place += at[axis] * placement.pitch[axis];
    visit(i, place);
    for (std::size_t axis = lengths.size(); axis-- > 0;) {
      ++at[axis];
      if (at[axis] < lengths[axis])
        break;
      at[axis] = 0;
    }
  }
}

void transformAxis(Signal &signal, const std::vector<std::size_t> &lengths, std::size_t axis,
                   bool isInverse) {
  const std::size_t length = lengths[axis];
  if (length == 1)
    return;
  std::size_t pitch = 1;
  for (std::size_t inner = axis + 1; inner < lengths.size(); ++inner)
    pitch *= lengths[inner];
  const kissfft<double> transform(length, isInverse);
  Signal line(length), result(length);
  for (std::size_t first = 0; first < signal.size(); ++first) {
    if (first / pitch % length != 0)
      continue;
    for (std::size_t i = 0; i < length; ++i)
      line[i] = signal[first + i * pitch];
    transform.transform(line.data(), result.data());
    for (std::size_t i = 0; i < length; ++i)
      signal[first + i * pitch] = result[i];
  }
}

void transformAxes(Signal &signal, const std::vector<std::size_t> &lengths, std::size_t axes,
                   bool isInverse) {
  for (std::size_t axis = 0; axis < axes; ++axis)
    transformAxis(signal, lengths, axis, isInverse);
}

/// The first half of each row of a signal, or the whole from it.
Signal firstHalves(const Signal &signal, std::size_t row) {
  const std::size_t half = row / 2 + 1;
  Signal result;
  for (std::size_t first = 0; first < signal.size(); first += row)
    for (std::size_t i = 0; i < half; ++i)
      result.push_back(signal[first + i]);
  return result;
}
Signal wholeRows(const Signal &halves, std::size_t row) {
  const std::size_t half = row / 2 + 1;
  Signal result;
  for (std::size_t first = 0; first < halves.size(); first += half)
    for (std::size_t i = 0; i < row; ++i)
      result.push_back(i < half ? halves[first + i] : std::conj(halves[first + row - i]));
  return result;
}

Signal transformed(Signal signal, const Plan &plan, bool isInverse) {
  const std::size_t axes = plan.lengths.size();
  if (isToReal(plan.type)) {
    transformAxes(signal, halved(plan.lengths), axes - 1, true);
    signal = wholeRows(signal, plan.lengths.back());
    transformAxis(signal, plan.lengths, axes - 1, true);
    return signal;
  }
  transformAxes(signal, plan.lengths, axes, isInverse);
  return isFromReal(plan.type) ? firstHalves(signal, plan.lengths.back()) : signal;
}

double valueOf(float value) { return value; }
double valueOf(double value) { return value; }
template <class Pair> Complex valueOf(const Pair &value) { return {value.x, value.y}; }
template <class Real> void put(const Complex &value, Real &to) {
  to = static_cast<Real>(value.real());
}
void put(const Complex &value, cufftComplex &to) {
  to = make_cuComplex(static_cast<float>(value.real()), static_cast<float>(value.imag()));
}
void put(const Complex &value, cufftDoubleComplex &to) {
  to = make_cuDoubleComplex(value.real(), value.imag());
}

template <class In, class Out>
cufftResult execute(cufftHandle handle, cufftType type, const In *in, Out *out, int direction) {
  const std::optional<Plan> plan = Plans::instance().find(handle);
  if (!plan || plan->lengths.empty())
    return CUFFT_INVALID_PLAN;
  if (plan->type != type)
    return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  const std::size_t row = plan->lengths.back();
  const bool isInPlace = static_cast<const void *>(in) == static_cast<const void *>(out);
  const std::size_t realRow = isInPlace ? 2 * (row / 2 + 1) : row;
  const auto lengthsIn = isToReal(type) ? halved(plan->lengths) : plan->lengths;
  const auto lengthsOut = isFromReal(type) ? halved(plan->lengths) : plan->lengths;
  const Placement placeIn =
      plan->in.value_or(packed(lengthsIn, isFromReal(type) ? realRow : lengthsIn.back()));
  const Placement placeOut =
      plan->out.value_or(packed(lengthsOut, isToReal(type) ? realRow : lengthsOut.back()));
  for (std::size_t batch = 0; batch < plan->batches; ++batch) {
    Signal signal(elementsOf(lengthsIn));
    forEachElement(lengthsIn, placeIn, batch,
                   [&](std::size_t i, std::size_t place) { signal[i] = valueOf(in[place]); });
    signal = transformed(std::move(signal), *plan, direction == CUFFT_INVERSE);
    forEachElement(lengthsOut, placeOut, batch,
                   [&](std::size_t i, std::size_t place) { put(signal[i], out[place]); });
  }
  return CUFFT_SUCCESS;
}

/// As cufftPlanMany says it: with the lengths of the arrays that hold the data, or without.
template <class Length>
cufftResult make(cufftHandle handle, int rank, const Length *lengths, const Length *inEmbed,
                 Length inStride, Length inDistance, const Length *outEmbed, Length outStride,
                 Length outDistance, cufftType type, Length batches) {
  if (rank < 1 || rank > kMostAxes || lengths == nullptr)
    return CUFFT_INVALID_VALUE;
  Plan plan;
  plan.type = type;
  for (int axis = 0; axis < rank; ++axis) {
    if (lengths[axis] < 1)
      return CUFFT_INVALID_SIZE;
    plan.lengths.push_back(static_cast<std::size_t>(lengths[axis]));
  }
  if (batches < 1)
    return CUFFT_INVALID_SIZE;
  plan.batches = static_cast<std::size_t>(batches);
  const auto placed = [&](const Length *embed, Length stride, Length distance) {
    Placement result;
    auto pitch = static_cast<std::size_t>(stride);
    for (std::size_t axis = plan.lengths.size(); axis-- > 0;) {
      result.pitch[axis] = pitch;
      pitch *= static_cast<std::size_t>(embed[axis]);
    }
    result.distance = static_cast<std::size_t>(distance);
    return result;
  };
  // Without both, strides and distances are not looked at.
  if (inEmbed != nullptr && outEmbed != nullptr) {
    plan.in = placed(inEmbed, inStride, inDistance);
    plan.out = placed(outEmbed, outStride, outDistance);
  }
  return Plans::instance().set(handle, std::move(plan)) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult makeSimple(cufftHandle handle, std::vector<int> lengths, cufftType type, int batches) {
  return make<int>(handle, static_cast<int>(lengths.size()), lengths.data(), nullptr, 1, 0, nullptr,
                   1, 0, type, batches);
}

/// A new plan, made by `make(handle)`.
template <class Make> cufftResult planned(cufftHandle *plan, Make make) {
  if (plan == nullptr)
    return CUFFT_INVALID_VALUE;
  *plan = Plans::instance().add();
  const cufftResult result = make(*plan);
  if (result != CUFFT_SUCCESS)
    Plans::instance().remove(*plan);
  return result;
}

/// Transforms here need no work area of the caller's.
cufftResult noWorkArea(size_t *workSize) {
  if (workSize == nullptr)
    return CUFFT_INVALID_VALUE;
  *workSize = 0;
  return CUFFT_SUCCESS;
}
cufftResult noWorkArea(cufftResult made, size_t *workSize) {
  return made != CUFFT_SUCCESS ? made : noWorkArea(workSize);
}

cufftResult known(cufftHandle plan) {
  return Plans::instance().find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

} // namespace
} // namespace relayout::host

using namespace relayout::host;

extern "C" {

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
  return planned(plan, [&](cufftHandle made) { return makeSimple(made, {nx}, type, batch); });
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  return planned(plan, [&](cufftHandle made) { return makeSimple(made, {nx, ny}, type, 1); });
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
  return planned(plan, [&](cufftHandle made) { return makeSimple(made, {nx, ny, nz}, type, 1); });
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist,
                          int *onembed, int ostride, int odist, cufftType type, int batch) {
  return planned(plan, [&](cufftHandle made) {
    return make<int>(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);
  });
}

cufftResult cufftCreate(cufftHandle *plan) {
  return planned(plan, [](cufftHandle) { return CUFFT_SUCCESS; });
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize) {
  return noWorkArea(makeSimple(plan, {nx}, type, batch), workSize);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize) {
  return noWorkArea(makeSimple(plan, {nx, ny}, type, 1), workSize);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t *workSize) {
  return noWorkArea(makeSimple(plan, {nx, ny, nz}, type, 1), workSize);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride,
                              int idist, int *onembed, int ostride, int odist, cufftType type,
                              int batch, size_t *workSize) {
  return noWorkArea(
      make<int>(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch),
      workSize);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride, long long int idist,
                                long long int *onembed, long long int ostride, long long int odist,
                                cufftType type, long long int batch, size_t *workSize) {
  return noWorkArea(
      make<long long>(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch),
      workSize);
}

cufftResult cufftEstimate1d(int, cufftType, int, size_t *workSize) { return noWorkArea(workSize); }
cufftResult cufftEstimate2d(int, int, cufftType, size_t *workSize) { return noWorkArea(workSize); }
cufftResult cufftEstimate3d(int, int, int, cufftType, size_t *workSize) {
  return noWorkArea(workSize);
}
cufftResult cufftEstimateMany(int, int *, int *, int, int, int *, int, int, cufftType, int,
                              size_t *workSize) {
  return noWorkArea(workSize);
}
cufftResult cufftGetSize1d(cufftHandle plan, int, cufftType, int, size_t *workSize) {
  return noWorkArea(known(plan), workSize);
}
cufftResult cufftGetSize2d(cufftHandle plan, int, int, cufftType, size_t *workSize) {
  return noWorkArea(known(plan), workSize);
}
cufftResult cufftGetSize3d(cufftHandle plan, int, int, int, cufftType, size_t *workSize) {
  return noWorkArea(known(plan), workSize);
}
cufftResult cufftGetSize(cufftHandle plan, size_t *workSize) {
  return noWorkArea(known(plan), workSize);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void *) { return known(plan); }
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return known(plan); }
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t) { return known(plan); }
cufftResult cufftGetVersion(int *version) {
  if (version == nullptr)
    return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  if (value == nullptr)
    return CUFFT_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUFFT_VER_MAJOR : 0; // the others are 0
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
  return Plans::instance().remove(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out,
                         int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

} // extern "C"
