// SPDX-License-Identifier: Apache-2.0
// The table of CUDA calls as data.
#include "relayout/base/cuda_calls.h"

#include <algorithm>
#include <array>

namespace relayout {
namespace {

enum Order { Immediate, OnStream };
enum Form { Kept, Generated };
using enum CudaMemory;
/// Where an element lies follows from the pitch, which no layout here has.
constexpr CudaMemory Pitched = Unknown;

#define RELAYOUT_NAME(name) #name
#define RELAYOUT_OPTIONAL_NAME(...) __VA_OPT__(RELAYOUT_NAME(__VA_ARGS__)) ""

constexpr auto kCalls = std::to_array<CudaCall>({
#define CUDA_ALLOCATION(name, order, form, memory, parameters, arguments, bytes, ...)              \
  {                                                                                                \
      #name,                                                                                       \
      CudaCallKind::Allocation,                                                                    \
      memory,                                                                                      \
      order == OnStream,                                                                           \
      form == Generated,                                                                           \
      memory != Host,                                                                              \
      RELAYOUT_OPTIONAL_NAME(__VA_ARGS__)},
#define CUDA_FREE(name, order, form, memory, parameters, arguments, ...)                           \
  {#name,                                                                                          \
   CudaCallKind::Free,                                                                             \
   memory,                                                                                         \
   order == OnStream,                                                                              \
   form == Generated,                                                                              \
   memory != Host,                                                                                 \
   RELAYOUT_OPTIONAL_NAME(__VA_ARGS__)},
#define CUDA_COPY(name, order, form, parameters, arguments, rows, ...)                             \
  {#name,                                                                                          \
   CudaCallKind::Copy,                                                                             \
   Device,                                                                                         \
   order == OnStream,                                                                              \
   form == Generated,                                                                              \
   true,                                                                                           \
   RELAYOUT_OPTIONAL_NAME(__VA_ARGS__)},
#define CUDA_SET(name, order, form, parameters, arguments, rows, ...)                              \
  {#name,                                                                                          \
   CudaCallKind::Set,                                                                              \
   Device,                                                                                         \
   order == OnStream,                                                                              \
   form == Generated,                                                                              \
   false,                                                                                          \
   RELAYOUT_OPTIONAL_NAME(__VA_ARGS__)},
#define CUDA_LAUNCH(name, interface, parameters, arguments, perThread)                             \
  {#name, CudaCallKind::Launch, Unknown, false, false, true, #perThread},
#define CUDA_RESET(name) {#name, CudaCallKind::Reset, Unknown, false, false, true, ""},
#define CUDA_WRITTEN_OUT(name, call, form, memory)                                                 \
  {#name, CudaCallKind::call, memory, false, form == Generated, false, ""},
#include "relayout/base/cuda_calls.def"
});

} // namespace

std::span<const CudaCall> cudaCalls() { return kCalls; }

const CudaCall *cudaCallNamed(std::string_view name) {
  const auto found = std::ranges::find(kCalls, name, &CudaCall::name);
  return found == kCalls.end() ? nullptr : &*found;
}

} // namespace relayout
