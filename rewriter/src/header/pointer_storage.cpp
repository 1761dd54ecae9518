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

PointerStorage::PointerStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout,
                               bool mayMove)
    : planes_(planes), padBytes_(layout.padBytes), mayMove_(mayMove),
      alignment_(layout.startAlignment) {
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
    return plane.exploded ? fmt::format("plane{}At({}, {})", plane.index, place(plane), k)
                          : fmt::format("plane{}At({})", plane.index, place(plane));
  return plane.exploded ? fmt::format("plane{}Lane({})[{}]", plane.index, k, place(plane))
                        : fmt::format("plane{}_[{}]", plane.index, place(plane));
}

std::string PointerStorage::readOnlyAt(const PlaneCode &plane, const std::string &k) const {
  return fmt::format("relayout_memory::readOnly({}, {})",
                     plane.exploded ? lane(plane, k) : pointer(plane), place(plane));
}

std::string PointerStorage::tooMany() const {
  const bool hasNumbers = std::ranges::any_of(
      planes_, [&](const PlaneCode &plane) { return place(plane) == "unsigned(i)"; });
  return hasNumbers ? "count >> 32 != 0" : "";
}

bool PointerStorage::allowsConstexpr() const {
  return std::ranges::none_of(planes_, &PlaneCode::exploded);
}

/// Neighbours of one type are one declaration, unless the type ends in a star of its own.
std::string PointerStorage::members() const {
  std::string text;
  const PlaneCode *before = nullptr;
  for (const PlaneCode &plane : planes_) {
    if (before && !before->exploded && before->type == plane.type && !plane.type.ends_with('*'))
      text.replace(text.size() - 2, 2, fmt::format(", *{};\n", pointer(plane)));
    else
      text += fmt::format("  {} *{};\n", plane.type, pointer(plane));
    if (plane.exploded)
      text += fmt::format("  std::ptrdiff_t {}; // bytes from one array element's plane to the "
                          "next\n",
                          stride(plane));
    before = &plane;
  }
  return text;
}

std::vector<std::string> PointerStorage::nulls() const {
  std::vector<std::string> text;
  for (const PlaneCode &plane : planes_) {
    text.push_back(pointer(plane) + "()");
    if (plane.exploded)
      text.push_back(stride(plane) + "()");
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

std::string PointerStorage::placement() const {
  std::string rest = "address, count"; // then what differs from the defaults
  if (alignment_ != analysis::kPlaneAlignment || padBytes_ != 0)
    rest += fmt::format(", {}", alignment_);
  if (padBytes_ != 0)
    rest += fmt::format(", {}", padBytes_);
  const auto place = [&](const std::string &plane) {
    return fmt::format("relayout_memory::placePlane({}, {});\n", plane, rest);
  };
  std::string text =
      fmt::format("\n  /// Places `count` elements at an address, planes at multiples of {}; "
                  "returns the end.\n"
                  "  std::size_t placeAt(std::size_t address, std::size_t count{}) {{\n{}",
                  alignment_, parameters(), countPlaces());
  for (auto plane = planes_.begin(); plane != planes_.end();) {
    const auto end = std::find_if(plane, planes_.end(), [&](const PlaneCode &other) {
      return other.exploded || other.type != plane->type;
    });
    if (end - plane > 2) { // of one type
      std::string list;
      for (; plane != end; ++plane)
        list += (list.empty() ? "&" : ", &") + pointer(*plane);
      text += fmt::format("    for ({} **plane : {{{}}})\n      {}", std::prev(end)->type, list,
                          place("*plane"));
      continue;
    }
    text += plane->exploded ? fmt::format("    {} = relayout_memory::placePlanes({}, {}, {});\n",
                                          stride(*plane), plane->lanes, pointer(*plane), rest)
                            : "    " + place(pointer(*plane));
    ++plane;
  }
  return text + finish() + "    return address;\n  }\n";
}

std::string PointerStorage::allocation() const {
  return fmt::format("  /// The first address of the allocation, if the view stands at the first "
                     "element.\n"
                     "  void *allocation() const {{ return {}; }}\n",
                     first());
}

/// As placePlane() places them.
std::string PointerStorage::room() const {
  std::string text;
  for (const PlaneCode &plane : planes_) {
    const std::string name = pointer(plane);
    if (plane.exploded)
      text += fmt::format("  struct alignas({}) {}Type {{\n    {} elements[kElements];\n{}  }} "
                          "{}[{}];\n",
                          alignment_, name, plane.type,
                          padBytes_ == 0 ? "" : fmt::format("    char pad[{}];\n", padBytes_), name,
                          plane.lanes);
    else
      text += fmt::format("  alignas({}) {} {}[kElements];\n", alignment_, plane.type, name);
    if (!plane.exploded && padBytes_ != 0 && &plane != &planes_.back())
      text += fmt::format("  char {}pad_[{}];\n", name, padBytes_);
  }
  return text;
}

std::string PointerStorage::placeInRoom() const {
  std::string text;
  for (const PlaneCode &plane : planes_) {
    text += fmt::format("    view.{0} = {0}{1};\n", pointer(plane),
                        plane.exploded ? "[0].elements" : "");
    if (plane.exploded)
      text += fmt::format("    view.{} = sizeof({}[0]);\n", stride(plane), pointer(plane));
  }
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

std::string PointerStorage::copying(const std::string &constView, const std::string &kind) const {
  std::string text = fmt::format("\n  /// Copies `count` elements of another array on the device.\n"
                                 "  cudaError_t copyFrom(const {} &from, std::size_t count,\n"
                                 "                       cudaStream_t stream = 0) const {{\n"
                                 "    cudaError_t status = cudaSuccess;\n",
                                 constView);
  for (const PlaneCode &plane : planes_)
    text += eachPlane(plane, [&](const std::string &k) {
      const std::string place = k.empty() ? pointer(plane) : lane(plane, k);
      return fmt::format("cudaMemcpyAsync({0}, from.{0}, count * sizeof({1}), {2}, stream)", place,
                         plane.type, kind);
    });
  return text + "    return status;\n  }\n";
}

std::string PointerStorage::ranges() const {
  std::string text =
      "\n  /// Calls `call(begin, bytes)` for the first `count` elements of each plane.\n"
      "  template <class Call>\n"
      "  cudaError_t eachRange(std::size_t count, Call call) const {\n"
      "    cudaError_t status = cudaSuccess;\n";
  for (const PlaneCode &plane : planes_)
    text += eachPlane(plane, [&](const std::string &k) {
      return fmt::format("call({}, count * sizeof({}))",
                         k.empty() ? pointer(plane) : lane(plane, k), plane.type);
    });
  return text + "    return status;\n  }\n";
}

std::string PointerStorage::helpers() const {
  std::string text;
  for (const PlaneCode &plane : planes_) {
    if (plane.exploded)
      text += fmt::format("  __host__ __device__ {0} *plane{1}Lane(std::ptrdiff_t k) const "
                          "{{\n    return reinterpret_cast<{0} *>(reinterpret_cast<char "
                          "*>(plane{1}_) + k * plane{1}Stride_);\n  }}\n",
                          plane.type, plane.index);
    // A reference to a field forgets that its cluster is aligned; said here, adjacent fields
    // still become one wide access.
    if (plane.isStruct)
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
                                            const analysis::Layout &layout, bool mayMove) {
  return std::make_unique<PointerStorage>(planes, layout, mayMove);
}

} // namespace relayout::rewriter
