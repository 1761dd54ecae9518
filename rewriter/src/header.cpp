// SPDX-License-Identifier: Apache-2.0
// Writes the generated header: cluster types, views, and the memory functions.
#include "relayout/rewriter/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {
namespace {

using analysis::Cluster;
using analysis::Layout;

std::string commentList(const RecordShape &shape, const Cluster &cluster) {
  std::vector<std::string> names;
  for (const std::uint32_t field : cluster.fields)
    names.push_back(shape.fields[field].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string declarator(const ShapeField &field) {
  std::string text = field.type + ' ' + field.name;
  for (const std::uint64_t extent : field.extents)
    text += fmt::format("[{}]", extent);
  return text;
}

/// `to = from;`, element by element where the field is an array.
std::string copyField(const ShapeField &field, const std::string &to, const std::string &from,
                      const std::string &indent) {
  static constexpr const char *kIndices = "abcdefgh";
  std::string text, subscripts, inner = indent;
  for (std::size_t level = 0; level < field.extents.size(); ++level) {
    const char index = kIndices[level];
    text +=
        fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1})\n", inner, index, field.extents[level]);
    subscripts += fmt::format("[{}]", index);
    inner += "  ";
  }
  return text + fmt::format("{}{}{} = {}{};\n", inner, to, subscripts, from, subscripts);
}

/// One cluster as the header stores it: a struct of its own, or the bare type of its only field.
class Plane {
public:
  Plane(const RecordShape &shape, const Layout &layout, std::size_t index, const std::string &stem)
      : shape_(shape), cluster_(layout.clusters[index]), pointer(fmt::format("plane{}_", index)) {
    for (const std::uint32_t field : cluster_.fields)
      natural_ = std::max(natural_, shape.fields[field].alignment);
    const ShapeField &first = shape.fields[cluster_.fields.front()];
    isStruct = cluster_.fields.size() > 1 || !first.extents.empty() || first.explicitlyAligned ||
               cluster_.alignment > natural_;
    type = isStruct ? fmt::format("{}Cluster{}", stem, index) : first.type;
  }

  [[nodiscard]] bool isOverAligned() const { return cluster_.alignment > natural_; }

  [[nodiscard]] std::string definition() const {
    const std::string aligned =
        isOverAligned() ? fmt::format("alignas({}) ", cluster_.alignment) : std::string();
    std::string text = fmt::format("struct {}{} {{\n", aligned, type);
    for (const std::uint32_t index : cluster_.fields) {
      const ShapeField &field = shape_.fields[index];
      const std::string own =
          field.explicitlyAligned ? fmt::format("alignas({}) ", field.alignment) : std::string();
      text += fmt::format("  {}{};\n", own, declarator(field));
    }
    return text + "};\n";
  }

  /// The field of element i, as an lvalue.
  [[nodiscard]] std::string fieldAt(const ShapeField &field, bool throughHint) const {
    if (!isStruct)
      return pointer + "[i]";
    return throughHint
               ? fmt::format("{}At(i).{}", pointer.substr(0, pointer.size() - 1), field.name)
               : fmt::format("{}[i].{}", pointer, field.name);
  }

private:
  const RecordShape &shape_;
  const Cluster &cluster_;
  std::uint32_t natural_ = 1;

public:
  std::string pointer;
  std::string type;
  bool isStruct = false;
};

class HeaderWriter {
public:
  HeaderWriter(const RecordShape &shape, const Layout &layout)
      : shape_(shape), layout_(layout), names_(namesFor(shape)) {
    for (std::size_t c = 0; c < layout.clusters.size(); ++c)
      planes_.emplace_back(shape, layout, c, names_.stem);
  }

  std::string write() {
    openFile();
    for (std::size_t c = 0; c < planes_.size(); ++c)
      if (planes_[c].isStruct)
        text_ += fmt::format("/// An element's {}.\n{}\n", commentList(shape_, layout_.clusters[c]),
                             planes_[c].definition());
    view(/*isConst=*/false);
    view(/*isConst=*/true);
    memoryFunctions();
    for (auto scope = shape_.namespaces.rbegin(); scope != shape_.namespaces.rend(); ++scope)
      text_ += scope->empty() ? "} // namespace\n" : fmt::format("}} // namespace {}\n", *scope);
    return std::move(text_);
  }

private:
  /// Starts of planes in the allocation; a multiple of every alignment a cluster asks for.
  [[nodiscard]] std::uint32_t planeAlignment() const {
    std::uint32_t alignment = 256;
    for (const Cluster &cluster : layout_.clusters)
      alignment = std::max(alignment, cluster.alignment);
    return alignment;
  }

  void openFile() {
    text_ +=
        fmt::format("// Device arrays of {}: {} in one allocation.\n", shape_.name,
                    planes_.size() == 1 ? "one plane" : fmt::format("{} planes", planes_.size()));
    for (std::size_t c = 0; c < planes_.size(); ++c)
      text_ += fmt::format("//   plane {}: {}\n", c, commentList(shape_, layout_.clusters[c]));
    text_ += fmt::format("// Host memory keeps {0} as it is; {1} converts on the way. Include this "
                         "after the\n// definition of {0}.\n"
                         "#pragma once\n\n#include <cstddef>\n#include <cuda_runtime.h>\n\n",
                         shape_.name, names_.copy);
    for (const std::string &scope : shape_.namespaces)
      text_ += scope.empty() ? "namespace {\n" : fmt::format("namespace {} {{\n", scope);
    if (!shape_.namespaces.empty())
      text_ += '\n';
  }

  void view(bool isConst) {
    const std::string &name = isConst ? names_.constView : names_.view;
    const std::string qualifier = isConst ? "const " : "";
    text_ += fmt::format("/// Takes the place of `{}{} *` for arrays in device memory.\n",
                         qualifier, shape_.name);
    text_ += fmt::format("class {} {{\npublic:\n  {}() = default;\n", name, name);
    std::vector<std::string> nulls, copies;
    for (const Plane &plane : planes_) {
      nulls.push_back(plane.pointer + "(nullptr)");
      copies.push_back(fmt::format("{0}(view.{0})", plane.pointer));
    }
    text_ += fmt::format("  __host__ __device__ {}(std::nullptr_t) : {} {{}}\n", name,
                         fmt::join(nulls, ", "));
    if (isConst)
      text_ += fmt::format("  __host__ __device__ {}(const {} &view) : {} {{}}\n", name,
                           names_.view, fmt::join(copies, ", "));
    text_ += '\n';
    accessors(isConst);
    wholeElements(isConst);
    pointerOperations(name);
    if (isConst)
      copyWithinDevice();
    else
      placement();
    text_ += "\nprivate:\n";
    if (!isConst) {
      text_ += fmt::format("  friend class {};\n", names_.constView);
      hints();
    }
    for (const Plane &plane : planes_)
      text_ += fmt::format("  {}{} *{};\n", qualifier, plane.type, plane.pointer);
    text_ += "};\n\n";
  }

  /// A read-only accessor returns the value, so that the compiler sees the plane's own load with
  /// its alignment; arrays cannot be returned and stay references.
  void accessors(bool isConst) {
    for (const ShapeField &field : shape_.fields) {
      const Plane &plane = planeOf(field);
      std::string result = field.type + " &";
      if (!field.extents.empty())
        result = isConst ? "const auto &" : "auto &";
      else if (isConst)
        result = field.type + " ";
      text_ += fmt::format("  __host__ __device__ {}{}(std::ptrdiff_t i = 0) const {{ return {}; "
                           "}}\n",
                           result, field.name, plane.fieldAt(field, /*throughHint=*/!isConst));
    }
    text_ += '\n';
  }

  void wholeElements(bool isConst) {
    text_ +=
        fmt::format("  __host__ __device__ {} load(std::ptrdiff_t i = 0) const {{\n", shape_.name);
    for (std::size_t c = 0; c < planes_.size(); ++c)
      if (planes_[c].isStruct)
        text_ +=
            fmt::format("    const {} part{} = {}[i];\n", planes_[c].type, c, planes_[c].pointer);
    text_ += fmt::format("    {} value;\n", shape_.name);
    for (const ShapeField &field : shape_.fields)
      text_ += copyField(field, "value." + field.name, partOf(field), "    ");
    text_ += "    return value;\n  }\n";
    if (isConst) {
      text_ += '\n';
      return;
    }
    text_ += fmt::format(
        "  __host__ __device__ void store(std::ptrdiff_t i, const {} &value) const {{\n",
        shape_.name);
    for (std::size_t c = 0; c < planes_.size(); ++c)
      if (planes_[c].isStruct)
        text_ += fmt::format("    {} part{};\n", planes_[c].type, c);
    for (const ShapeField &field : shape_.fields)
      text_ += copyField(field, partOf(field), "value." + field.name, "    ");
    for (std::size_t c = 0; c < planes_.size(); ++c)
      if (planes_[c].isStruct)
        text_ += fmt::format("    {}[i] = part{};\n", planes_[c].pointer, c);
    text_ += "  }\n\n";
  }

  void pointerOperations(const std::string &name) {
    const std::string head = "  __host__ __device__ ";
    text_ += fmt::format("{}{} &operator+=(std::ptrdiff_t n) {{\n", head, name);
    for (const Plane &plane : planes_)
      text_ += fmt::format("    {} += n;\n", plane.pointer);
    text_ += "    return *this;\n  }\n";
    text_ += fmt::format("{0}{1} &operator-=(std::ptrdiff_t n) {{ return *this += -n; }}\n"
                         "{0}{1} &operator++() {{ return *this += 1; }}\n"
                         "{0}{1} &operator--() {{ return *this += -1; }}\n"
                         "{0}{1} operator++(int) {{\n    const {1} old = *this;\n    ++*this;\n    "
                         "return old;\n  }}\n"
                         "{0}{1} operator--(int) {{\n    const {1} old = *this;\n    --*this;\n    "
                         "return old;\n  }}\n"
                         "  friend __host__ __device__ {1} operator+({1} view, std::ptrdiff_t n) "
                         "{{ return view += n; "
                         "}}\n"
                         "  friend __host__ __device__ {1} operator+(std::ptrdiff_t n, {1} view) "
                         "{{ return view += n; "
                         "}}\n"
                         "  friend __host__ __device__ {1} operator-({1} view, std::ptrdiff_t n) "
                         "{{ return view -= n; "
                         "}}\n",
                         head, name);
    text_ += fmt::format("{}explicit operator bool() const {{ return {} != nullptr; }}\n", head,
                         planes_.front().pointer);
    text_ +=
        fmt::format("  friend __host__ __device__ std::ptrdiff_t operator-(const {0} &a, const "
                    "{0} &b) {{\n    return a.{1} - b.{1};\n  }}\n",
                    name, planes_.front().pointer);
    for (const char *comparison : {"==", "!=", "<", ">", "<=", ">="})
      text_ += fmt::format("  friend __host__ __device__ bool operator{0}(const {1} &a, const {1} "
                           "&b) {{\n    return a.{2} {0} b.{2};\n  }}\n",
                           comparison, name, planes_.front().pointer);
  }

  void placement() {
    const std::uint32_t alignment = planeAlignment();
    text_ +=
        fmt::format("\n  /// Bytes of an allocation for `count` elements; planes start at "
                    "multiples of {}.\n  static std::size_t allocationBytes(std::size_t count) "
                    "{{\n    return ",
                    alignment);
    for (std::size_t c = 0; c + 1 < planes_.size(); ++c)
      text_ += fmt::format("planeBytes(count * sizeof({})) + ", planes_[c].type);
    text_ += fmt::format("count * sizeof({});\n  }}\n", planes_.back().type);
    text_ += fmt::format("  /// The array of `count` elements in an allocation.\n"
                         "  static {0} over(void *allocation, std::size_t count) {{\n"
                         "    char *next = static_cast<char *>(allocation);\n    {0} view;\n",
                         names_.view);
    for (std::size_t c = 0; c < planes_.size(); ++c) {
      text_ += fmt::format("    view.{} = reinterpret_cast<{} *>(next);\n", planes_[c].pointer,
                           planes_[c].type);
      if (c + 1 < planes_.size())
        text_ += fmt::format("    next += planeBytes(count * sizeof({}));\n", planes_[c].type);
    }
    text_ += fmt::format("    return view;\n  }}\n"
                         "  /// What `over` was given, when the view stands at the first element.\n"
                         "  void *allocation() const {{ return {}; }}\n",
                         planes_.front().pointer);
    text_ += "  /// Sets every byte of `count` elements.\n"
             "  cudaError_t fill(int value, std::size_t count) const {\n"
             "    cudaError_t status = cudaSuccess;\n";
    for (const Plane &plane : planes_)
      text_ += fmt::format("    if (status == cudaSuccess)\n      status = cudaMemset({0}, value, "
                           "count * sizeof({1}));\n",
                           plane.pointer, plane.type);
    text_ += "    return status;\n  }\n";
  }

  void copyWithinDevice() {
    text_ += fmt::format("\n  /// Copies `count` elements to another array on the device.\n"
                         "  cudaError_t copyTo(const {} &to, std::size_t count) const {{\n"
                         "    cudaError_t status = cudaSuccess;\n",
                         names_.view);
    for (const Plane &plane : planes_)
      text_ += fmt::format("    if (status == cudaSuccess)\n      status = cudaMemcpy(to.{0}, {0}, "
                           "count * sizeof({1}), cudaMemcpyDeviceToDevice);\n",
                           plane.pointer, plane.type);
    text_ += "    return status;\n  }\n";
  }

  void hints() {
    if (planes_.size() > 1)
      text_ += fmt::format("  static std::size_t planeBytes(std::size_t bytes) {{ return (bytes + "
                           "{0}) / {1} * {1}; }}\n",
                           planeAlignment() - 1, planeAlignment());
    // A reference to a field forgets that its cluster is aligned; said here, neighbouring fields
    // still become one wide access.
    for (std::size_t c = 0; c < planes_.size(); ++c)
      if (planes_[c].isStruct)
        text_ += fmt::format("  __host__ __device__ {0} &plane{1}At(std::ptrdiff_t i) const {{\n"
                             "    return *static_cast<{0} *>(__builtin_assume_aligned(plane{1}_ + "
                             "i, alignof({0})));\n  }}\n",
                             planes_[c].type, c);
  }

  void memoryFunctions() {
    const std::string record = shape_.name;
    const std::string clear = shape_.hasPadding
                                  ? "  status = cudaMemset(staging, 0, bytes); // padding\n"
                                  : std::string();
    text_ += fmt::format("static __global__ void {0}Pack({1} *to, {2} from, std::size_t count) {{\n"
                         "  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + "
                         "threadIdx.x; i < count;\n       i += std::size_t(gridDim.x) * "
                         "blockDim.x) {{\n    const {1} value = from.load(i);\n",
                         names_.lowerStem, record, names_.constView);
    for (const ShapeField &field : shape_.fields)
      text_ += copyField(field, "to[i]." + field.name, "value." + field.name, "    ");
    text_ += "  }\n}\n\n";
    text_ += fmt::format(
        R"(static __global__ void {lower}Unpack({view} to, const {record} *from, std::size_t count) {{
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    to.store(i, from[i]);
}}

/// cudaMalloc of bytes / sizeof({record}) elements.
static inline cudaError_t {lower}Malloc({view} *view, std::size_t bytes) {{
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  const std::size_t count = (bytes + sizeof({record}) - 1) / sizeof({record});
  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc(&allocation, {view}::allocationBytes(count));
  if (status == cudaSuccess)
    *view = bytes == 0 ? {view}(nullptr) : {view}::over(allocation, count);
  return status;
}}

/// cudaFree of what {lower}Malloc gave.
static inline cudaError_t {lower}Free({view} view) {{ return cudaFree(view.allocation()); }}

/// cudaMemset of `bytes` bytes as {record} counts them; a whole number of elements.
static inline cudaError_t {lower}Memset({view} view, int value, std::size_t bytes) {{
  if (bytes % sizeof({record}) != 0)
    return cudaErrorInvalidValue;
  return view.fill(value, bytes / sizeof({record}));
}}

/// Blocks for a kernel that walks `count` elements.
static inline unsigned {lower}Blocks(std::size_t count) {{
  const std::size_t blocks = (count + 255) / 256;
  return unsigned(blocks < 65536 ? blocks : 65536);
}}

/// cudaMemcpy from records as they are; `bytes` counts them, a whole number of elements.
/// Needs that much device memory for the moment of the copy.
static inline cudaError_t {lower}Memcpy({view} to, const {record} *from, std::size_t bytes,
                                        cudaMemcpyKind kind) {{
  if (bytes % sizeof({record}) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof({record});
  {record} *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
  status = cudaMemcpy(staging, from, bytes, kind);
  if (status == cudaSuccess) {{
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    {lower}Unpack<<<{lower}Blocks(count), 256>>>(to, staging, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }}
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}}

/// cudaMemcpy to records as they are: the same bytes in one copy.
static inline cudaError_t {lower}Memcpy({record} *to, {constView} from, std::size_t bytes,
                                        cudaMemcpyKind kind) {{
  if (bytes % sizeof({record}) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof({record});
  {record} *staging = nullptr;
  cudaError_t status = cudaMalloc(reinterpret_cast<void **>(&staging), bytes);
  if (status != cudaSuccess)
    return status;
{clear}  if (status == cudaSuccess) {{
    const cudaError_t earlier = cudaPeekAtLastError(); // not of this launch
    {lower}Pack<<<{lower}Blocks(count), 256>>>(staging, from, count);
    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;
  }}
  if (status == cudaSuccess)
    status = cudaMemcpy(to, staging, bytes, kind);
  const cudaError_t freed = cudaFree(staging);
  return status != cudaSuccess ? status : freed;
}}

/// cudaMemcpy within the device.
static inline cudaError_t {lower}Memcpy({view} to, {constView} from, std::size_t bytes,
                                        cudaMemcpyKind kind) {{
  if (bytes % sizeof({record}) != 0)
    return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  return from.copyTo(to, bytes / sizeof({record}));
}}
)",
        fmt::arg("lower", names_.lowerStem), fmt::arg("view", names_.view),
        fmt::arg("constView", names_.constView), fmt::arg("record", record),
        fmt::arg("clear", clear));
  }

  [[nodiscard]] std::size_t planeIndexOf(const ShapeField &field) const {
    const auto index = static_cast<std::uint32_t>(&field - shape_.fields.data());
    for (std::size_t c = 0; c < layout_.clusters.size(); ++c)
      if (std::ranges::count(layout_.clusters[c].fields, index))
        return c;
    return 0;
  }
  [[nodiscard]] const Plane &planeOf(const ShapeField &field) const {
    return planes_[planeIndexOf(field)];
  }
  /// Where load and store have the field: in the local copy of its cluster, or in its plane.
  [[nodiscard]] std::string partOf(const ShapeField &field) const {
    const std::size_t c = planeIndexOf(field);
    return planes_[c].isStruct ? fmt::format("part{}.{}", c, field.name)
                               : planes_[c].pointer + "[i]";
  }

  const RecordShape &shape_;
  const Layout &layout_;
  GeneratedNames names_;
  std::vector<Plane> planes_;
  std::string text_;
};

} // namespace

Result<std::string> generateHeader(const RecordShape &shape, const Layout &layout) {
  if (layout.tile != 0 || layout.padBytes != 0 ||
      std::ranges::any_of(layout.clusters, &Cluster::exploded))
    return fail("RL-R11", fmt::format("'{}' cannot be laid out in tiles, with padding between "
                                      "planes or with arrays exploded; the header has one plane a "
                                      "cluster",
                                      shape.name));
  static constexpr std::array<std::string_view, 8> kTaken = {
      "load", "store", "over", "fill", "copyTo", "allocation", "allocationBytes", "planeBytes"};
  const GeneratedNames names = namesFor(shape);
  for (const ShapeField &field : shape.fields)
    if (std::ranges::count(kTaken, field.name) != 0 || field.name == names.view ||
        field.name == names.constView || field.name == shape.name ||
        (field.name.starts_with("plane") &&
         (field.name.ends_with("_") || field.name.ends_with("At"))))
      return fail("RL-R15", fmt::format("field '{}' of '{}' has a name that the view needs",
                                        field.name, shape.name));
  return HeaderWriter(shape, layout).write();
}

} // namespace relayout::rewriter
