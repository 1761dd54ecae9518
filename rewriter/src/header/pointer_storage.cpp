// SPDX-License-Identifier: Apache-2.0
// Views of layouts whose planes span the whole array: one pointer a cluster.
#include "header/pointer_storage.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

std::uint32_t naturalOf(const PlaneCode &plane) {
  std::uint32_t alignment = 1;
  for (const ShapeField *field : plane.fields)
    alignment = std::max(alignment, field->alignment);
  return alignment;
}

std::string pointer(const PlaneCode &plane) { return fmt::format("plane{}_", plane.index); }

std::string stride(const PlaneCode &plane) { return fmt::format("plane{}Stride_", plane.index); }

std::string lane(const PlaneCode &plane, const std::string &k) {
  return fmt::format("plane{}Lane({})", plane.index, k);
}

/// `call(k)` for each plane of a cluster, as long as all goes well; k is empty for the only one.
template <class Call> std::string eachPlane(const PlaneCode &plane, Call call) {
  if (!plane.exploded)
    return fmt::format("    if (status == cudaSuccess)\n      status = {};\n", call(""));
  return fmt::format("    for (int k = 0; k < {} && status == cudaSuccess; ++k)\n"
                     "      status = {};\n",
                     plane.lanes, call("k"));
}

} // namespace

PointerStorage::PointerStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout)
    : planes_(planes), padBytes_(layout.padBytes), alignment_(layout.startAlignment) {
  if (alignment_ == 0)
    alignment_ = analysis::kPlaneAlignment;
  for (const PlaneCode &plane : planes)
    alignment_ = std::max({alignment_, plane.alignas_, naturalOf(plane)});
}

std::string PointerStorage::description() const {
  std::uint64_t count = 0;
  for (const PlaneCode &plane : planes_)
    count += plane.lanes;
  std::string text = count == 1 ? "one plane" : fmt::format("{} planes", count);
  if (padBytes_ != 0 && count > 1)
    text += fmt::format(" with {} bytes of padding behind each", padBytes_);
  return text;
}

std::string PointerStorage::at(const PlaneCode &plane, const std::string &k, bool hinted) const {
  if (hinted && plane.isStruct)
    return plane.exploded ? fmt::format("plane{}At({}, {})", plane.index, place(), k)
                          : fmt::format("plane{}At({})", plane.index, place());
  return plane.exploded ? fmt::format("plane{}Lane({})[{}]", plane.index, k, place())
                        : fmt::format("plane{}_[{}]", plane.index, place());
}

std::vector<std::string> PointerStorage::memberNames() const {
  std::vector<std::string> names;
  for (const PlaneCode &plane : planes_) {
    names.push_back(pointer(plane));
    if (plane.exploded)
      names.push_back(stride(plane));
  }
  return names;
}

std::string PointerStorage::members(bool isConst) const {
  std::string text;
  for (const PlaneCode &plane : planes_) {
    text += fmt::format("  {}{} *{};\n", isConst ? "const " : "", plane.type, pointer(plane));
    if (plane.exploded)
      text += fmt::format("  std::ptrdiff_t {}; // bytes from one array element's plane to the "
                          "next\n",
                          stride(plane));
  }
  return text;
}

std::vector<std::string> PointerStorage::nulls() const {
  std::vector<std::string> text;
  for (const PlaneCode &plane : planes_) {
    text.push_back(pointer(plane) + "(nullptr)");
    if (plane.exploded)
      text.push_back(stride(plane) + "(0)");
  }
  return text;
}

std::string PointerStorage::advance() const {
  std::string text;
  for (const PlaneCode &plane : planes_)
    text += fmt::format("    {} += n;\n", pointer(plane));
  return text;
}

std::string PointerStorage::test() const { return first() + " != nullptr"; }
std::string PointerStorage::difference() const { return fmt::format("a.{0} - b.{0}", first()); }
std::string PointerStorage::comparison(const std::string &sign) const {
  return fmt::format("a.{0} {1} b.{0}", first(), sign);
}

std::string PointerStorage::placement(const std::string &view) const {
  std::string text =
      fmt::format("\n  /// Bytes of an allocation for `count` elements; planes start at "
                  "multiples of {}.\n  static std::size_t allocationBytes(std::size_t count{}) "
                  "{{\n{}    return ",
                  alignment_, parameters(), countPlaces());
  for (const PlaneCode &plane : planes_) {
    const bool isLast = &plane == &planes_.back();
    const std::uint64_t padded = plane.lanes - (isLast ? 1 : 0);
    if (padded != 0)
      text += fmt::format("{}planeBytes(count * sizeof({})) + ",
                          padded == 1 ? std::string() : fmt::format("{} * ", padded), plane.type);
    if (isLast)
      text += fmt::format("count * sizeof({});\n  }}\n", plane.type);
  }
  text += fmt::format("  /// The array of `count` elements in an allocation.\n"
                      "  static {0} over(void *allocation, std::size_t count{2}) {{\n"
                      "{1}    char *next = static_cast<char *>(allocation);\n    {0} view;\n",
                      view, countPlaces(), parameters());
  for (const PlaneCode &plane : planes_) {
    if (plane.exploded)
      text +=
          fmt::format("    view.{} = planeBytes(count * sizeof({}));\n", stride(plane), plane.type);
    if (&plane == &planes_.back())
      text +=
          fmt::format("    view.{} = reinterpret_cast<{} *>(next);\n", pointer(plane), plane.type);
    else
      text += fmt::format("    take(next, view.{}, count, {});\n", pointer(plane), plane.lanes);
  }
  text += finish();
  text += fmt::format("    return view;\n  }}\n"
                      "  /// What `over` was given, when the view stands at the first element.\n"
                      "  void *allocation() const {{ return {}; }}\n",
                      first());
  return text;
}

std::string PointerStorage::filling() const {
  std::string text =
      "  /// Sets every byte of `count` elements.\n"
      "  cudaError_t fill(int value, std::size_t count, cudaStream_t stream = 0) const {\n"
      "    cudaError_t status = cudaSuccess;\n";
  for (const PlaneCode &plane : planes_)
    text += eachPlane(plane, [&](const std::string &k) {
      return fmt::format("cudaMemsetAsync({}, value, count * sizeof({}), stream)",
                         k.empty() ? pointer(plane) : lane(plane, k), plane.type);
    });
  return text + "    return status;\n  }\n";
}

std::string PointerStorage::copying(const std::string &view) const {
  std::string text = fmt::format("\n  /// Copies `count` elements to another array on the device.\n"
                                 "  cudaError_t copyTo(const {} &to, std::size_t count,\n"
                                 "                     cudaStream_t stream = 0) const {{\n"
                                 "    cudaError_t status = cudaSuccess;\n",
                                 view);
  for (const PlaneCode &plane : planes_)
    text += eachPlane(plane, [&](const std::string &k) {
      const std::string from = k.empty() ? pointer(plane) : lane(plane, k);
      return fmt::format("cudaMemcpyAsync(to.{0}, {0}, count * sizeof({1}), "
                         "cudaMemcpyDeviceToDevice, stream)",
                         from, plane.type);
    });
  return text + "    return status;\n  }\n";
}

std::string PointerStorage::helpers(bool isConst) const {
  std::string text;
  const bool severalPlanes = planes_.size() > 1 || planes_.front().exploded;
  if (severalPlanes && !isConst)
    text += fmt::format("  static std::size_t planeBytes(std::size_t bytes) {{ return (bytes + "
                        "{0}) / {1} * {1}; }}\n",
                        padBytes_ + alignment_ - 1, alignment_);
  if (planes_.size() > 1 && !isConst)
    text += "  /// Places a cluster's planes at `next`, and moves that behind them.\n"
            "  template <class T>\n"
            "  static void take(char *&next, T *&plane, std::size_t count, std::size_t planes) {\n"
            "    plane = reinterpret_cast<T *>(next);\n"
            "    next += planes * planeBytes(count * sizeof(T));\n  }\n";
  const std::string qualifier = isConst ? "const " : "";
  for (const PlaneCode &plane : planes_) {
    if (plane.exploded)
      text += fmt::format("  __host__ __device__ {0}{1} *plane{2}Lane(std::ptrdiff_t k) const "
                          "{{\n    return reinterpret_cast<{0}{1} *>(reinterpret_cast<{0}char "
                          "*>(plane{2}_) + k * plane{2}Stride_);\n  }}\n",
                          qualifier, plane.type, plane.index);
    // A reference to a field forgets that its cluster is aligned; said here, adjacent fields
    // still become one wide access.
    if (plane.isStruct && !isConst)
      text += fmt::format("  __host__ __device__ {0} &plane{1}At(std::ptrdiff_t i{2}) const {{\n"
                          "    return *static_cast<{0} *>(__builtin_assume_aligned({3} + "
                          "i, alignof({0})));\n  }}\n",
                          plane.type, plane.index, plane.exploded ? ", std::ptrdiff_t k" : "",
                          plane.exploded ? lane(plane, "k") : pointer(plane));
  }
  return text;
}

std::string PointerStorage::first() const { return pointer(planes_.front()); }

std::unique_ptr<ViewStorage> pointerStorage(const std::vector<PlaneCode> &planes,
                                            const analysis::Layout &layout) {
  return std::make_unique<PointerStorage>(planes, layout);
}

} // namespace relayout::rewriter
