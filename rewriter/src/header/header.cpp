// SPDX-License-Identifier: Apache-2.0
// Writes the generated header: cluster types and views; memory_functions.cpp adds the functions.
#include "relayout/rewriter/header.h"

#include "header/memory_functions.h"
#include "header/view_storage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {
namespace {

using analysis::Cluster;
using analysis::Layout;

/// Beyond this, cudaMalloc promises nothing.
constexpr std::uint32_t kLargestAlignment = 256;

/// `to = from;`, element by element where the field is an array.
std::string copyField(const ShapeField &field, const std::string &to, const std::string &from) {
  static constexpr const char *kIndices = "abcdefgh";
  std::string text, subscripts, inner = "    ";
  for (std::size_t level = 0; level < field.extents.size(); ++level) {
    const char index = kIndices[level % 8];
    text +=
        fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1})\n", inner, index, field.extents[level]);
    subscripts += fmt::format("[{}]", index);
    inner += "  ";
  }
  return text + fmt::format("{}{}{} = {}{};\n", inner, to, subscripts, from, subscripts);
}

class HeaderWriter {
public:
  HeaderWriter(const RecordShape &shape, const Layout &layout, const GeneratedNames &names,
               const analysis::AddressFunction &bound)
      : shape_(shape), names_(names), planes_(planesOf(shape, layout, names.stem)),
        storage_(layout.tile == 0 ? pointerStorage(planes_, layout)
                                  : tileStorage(planes_, layout, bound)) {}

  std::string write(const HeaderParts &parts) {
    openFile();
    for (const PlaneCode &plane : planes_)
      text_ += plane.definition();
    if (!shape_.defaultConstructs)
      text_ += fmt::format("/// Room for a record that is filled in field by field.\n"
                           "union {0}Storage {{\n  char none;\n  {1} value;\n"
                           "  __host__ __device__ {0}Storage() : none(0) {{}}\n}};\n\n",
                           names_.stem, shape_.name);
    view(/*isConst=*/false);
    view(/*isConst=*/true);
    text_ += memoryFunctions(shape_, names_, storage_->isTiled(), parts);
    for (auto scope = shape_.namespaces.rbegin(); scope != shape_.namespaces.rend(); ++scope)
      text_ += scope->empty() ? "} // namespace\n" : fmt::format("}} // namespace {}\n", *scope);
    return std::move(text_);
  }

private:
  void openFile() {
    text_ += fmt::format("// Device arrays of {}: {} in one allocation.\n", shape_.name,
                         storage_->description());
    for (const PlaneCode &plane : planes_)
      text_ += plane.exploded ? fmt::format("//   {} planes: {}\n", plane.lanes, plane.fieldList())
                              : fmt::format("//   plane: {}\n", plane.fieldList());
    text_ +=
        fmt::format("// Host memory keeps {0} as it is; {1} converts on the way. Include this "
                    "after the\n// definition of {0}.\n"
                    "#pragma once\n\n#include <cstddef>\n{2}#include <cuda_runtime.h>\n\n",
                    shape_.name, names_.copy, storage_->isTiled() ? "#include <cstring>\n" : "");
    for (const std::string &scope : shape_.namespaces)
      text_ += scope.empty() ? "namespace {\n" : fmt::format("namespace {} {{\n", scope);
    if (!shape_.namespaces.empty())
      text_ += '\n';
    text_ += fmt::format("static_assert(sizeof({0}) == {1}, \"this header was made for another "
                         "{0}\");\n\n",
                         shape_.name, shape_.bytes);
  }

  void view(bool isConst) {
    const std::string &name = isConst ? names_.constView : names_.view;
    text_ += fmt::format("/// Takes the place of `{}{} *` for arrays in device memory.\n",
                         isConst ? "const " : "", shape_.name);
    text_ += fmt::format("class {} {{\npublic:\n  {}() = default;\n", name, name);
    text_ += fmt::format("  __host__ __device__ {}(std::nullptr_t) : {} {{}}\n", name,
                         fmt::join(storage_->nulls(), ", "));
    if (isConst) {
      std::vector<std::string> copies;
      for (const std::string &member : storage_->memberNames())
        copies.push_back(fmt::format("{0}(view.{0})", member));
      text_ += fmt::format("  __host__ __device__ {}(const {} &view) : {} {{}}\n", name,
                           names_.view, fmt::join(copies, ", "));
    }
    text_ += '\n';
    accessors(isConst);
    load(isConst);
    if (!isConst)
      store();
    text_ += '\n';
    pointerOperations(name);
    text_ += isConst ? storage_->copying(names_.view) : storage_->placement(names_.view);
    text_ += "\nprivate:\n";
    if (!isConst)
      text_ += fmt::format("  friend class {};\n", names_.constView);
    text_ += storage_->helpers(isConst) + storage_->members(isConst) + "};\n\n";
  }

  /// A read-only accessor returns the value, so that the compiler sees the plane's own load with
  /// its alignment; arrays cannot be returned and stay references.
  void accessors(bool isConst) {
    for (const ShapeField &field : shape_.fields) {
      const PlaneCode &plane = planeOf(field);
      std::string result = field.type + (isConst ? " " : " &");
      if (!field.extents.empty() && !plane.exploded)
        result = isConst ? "const auto &" : "auto &";
      std::string parameters = "std::ptrdiff_t i", lane;
      if (!plane.exploded)
        parameters += " = 0";
      for (std::size_t level = 0; plane.exploded && level < field.extents.size(); ++level) {
        const std::string index =
            field.extents.size() == 1 ? std::string("k") : fmt::format("k{}", level);
        parameters += ", std::ptrdiff_t " + index;
        if (level == 0)
          lane = index;
        else
          lane = fmt::format("{} * {} + {}", level == 1 ? lane : "(" + lane + ")",
                             field.extents[level], index);
      }
      text_ += fmt::format("  __host__ __device__ {}{}({}) const {{ return {}{}; }}\n", result,
                           field.name, parameters, storage_->at(plane, lane, !isConst),
                           plane.isStruct ? "." + field.name : std::string());
    }
    text_ += '\n';
  }

  void load(bool isConst) {
    // Const, so that an overloaded method of an element means the same as on a const element.
    text_ += fmt::format("  __host__ __device__ {}{} load(std::ptrdiff_t i = 0) const {{\n",
                         isConst ? "const " : "", shape_.name);
    for (const PlaneCode &plane : planes_)
      if (plane.isStruct && !plane.exploded)
        text_ += fmt::format("    const {} part{} = {};\n", plane.type, plane.index, whole(plane));
    text_ += shape_.defaultConstructs
                 ? fmt::format("    {} value;\n", shape_.name)
                 : fmt::format("    {}Storage storage;\n    {} &value = storage.value;\n",
                               names_.stem, shape_.name);
    for (const ShapeField &field : shape_.fields)
      if (const PlaneCode &plane = planeOf(field); !plane.exploded)
        text_ += copyField(field, "value." + field.name, partOf(field, plane));
    for (const PlaneCode &plane : planes_)
      if (plane.exploded) {
        text_ += fmt::format("    for (int k = 0; k < {}; ++k) {{\n", plane.lanes);
        if (plane.isStruct)
          text_ +=
              fmt::format("      const {} part{} = {};\n", plane.type, plane.index, whole(plane));
        for (const ShapeField *field : plane.fields)
          text_ += fmt::format("      value.{}{} = {};\n", field->name, subscriptsAt(*field, "k"),
                               partOf(*field, plane));
        text_ += "    }\n";
      }
    text_ += "    return value;\n  }\n";
  }

  void store() {
    text_ += fmt::format(
        "  __host__ __device__ void store(std::ptrdiff_t i, const {} &value) const {{\n",
        shape_.name);
    for (const PlaneCode &plane : planes_)
      if (plane.isStruct && !plane.exploded)
        text_ += fmt::format("    {} part{};\n", plane.type, plane.index);
    for (const ShapeField &field : shape_.fields)
      if (const PlaneCode &plane = planeOf(field); !plane.exploded)
        text_ += copyField(field, partOf(field, plane), "value." + field.name);
    for (const PlaneCode &plane : planes_) {
      const std::string put =
          plane.isStruct ? fmt::format("{} = part{};\n", whole(plane), plane.index) : std::string();
      if (plane.exploded) {
        text_ += fmt::format("    for (int k = 0; k < {}; ++k) {{\n", plane.lanes);
        if (plane.isStruct)
          text_ += fmt::format("      {} part{};\n", plane.type, plane.index);
        for (const ShapeField *field : plane.fields)
          text_ += fmt::format("      {} = value.{}{};\n", partOf(*field, plane), field->name,
                               subscriptsAt(*field, "k"));
        text_ += (put.empty() ? put : "      " + put) + "    }\n";
      } else if (!put.empty()) {
        text_ += "    " + put;
      }
    }
    text_ += "  }\n";
  }

  void pointerOperations(const std::string &name) {
    text_ += fmt::format(
        R"(  __host__ __device__ {0} &operator+=(std::ptrdiff_t n) {{
{1}    return *this;
  }}
  __host__ __device__ {0} &operator-=(std::ptrdiff_t n) {{ return *this += -n; }}
  __host__ __device__ {0} &operator++() {{ return *this += 1; }}
  __host__ __device__ {0} &operator--() {{ return *this += -1; }}
  __host__ __device__ {0} operator++(int) {{
    const {0} old = *this;
    ++*this;
    return old;
  }}
  __host__ __device__ {0} operator--(int) {{
    const {0} old = *this;
    --*this;
    return old;
  }}
  friend __host__ __device__ {0} operator+({0} view, std::ptrdiff_t n) {{ return view += n; }}
  friend __host__ __device__ {0} operator+(std::ptrdiff_t n, {0} view) {{ return view += n; }}
  friend __host__ __device__ {0} operator-({0} view, std::ptrdiff_t n) {{ return view -= n; }}
  __host__ __device__ explicit operator bool() const {{ return {2}; }}
  friend __host__ __device__ std::ptrdiff_t operator-(const {0} &a, const {0} &b) {{
    return {3};
  }}
)",
        name, storage_->advance(), storage_->test(), storage_->difference());
    for (const char *sign : {"==", "!=", "<", ">", "<=", ">="})
      text_ += fmt::format("  friend __host__ __device__ bool operator{0}(const {1} &a, const {1} "
                           "&b) {{\n    return {2};\n  }}\n",
                           sign, name, storage_->comparison(sign));
  }

  [[nodiscard]] const PlaneCode &planeOf(const ShapeField &field) const {
    return *std::ranges::find_if(planes_, [&](const PlaneCode &plane) {
      return std::ranges::count(plane.fields, &field) != 0;
    });
  }
  [[nodiscard]] std::string whole(const PlaneCode &plane) const {
    return storage_->at(plane, "k", /*hinted=*/false);
  }
  /// Where load and store have the field: in the local copy of its cluster, or in its plane.
  [[nodiscard]] std::string partOf(const ShapeField &field, const PlaneCode &plane) const {
    return plane.isStruct ? fmt::format("part{}.{}", plane.index, field.name) : whole(plane);
  }

  const RecordShape &shape_;
  const GeneratedNames &names_;
  std::vector<PlaneCode> planes_;
  std::unique_ptr<ViewStorage> storage_;
  std::string text_;
};

/// Names that the view has for itself, in some layout.
bool isTaken(const std::string &name, const RecordShape &shape, const GeneratedNames &names) {
  static constexpr std::array<std::string_view, 12> kTaken = {
      "load",       "store", "over",  "fill",   "copyTo",    "allocation", "allocationBytes",
      "planeBytes", "kTile", "base_", "index_", "kTileBytes"};
  const bool isPlane = name.starts_with("plane") &&
                       (name.ends_with("_") || name.ends_with("At") || name.ends_with("Lane"));
  return isPlane || std::ranges::count(kTaken, name) != 0 || name == names.view ||
         name == names.constView || name == shape.name;
}

} // namespace

Result<std::string> generateHeader(const RecordShape &shape, const Layout &layout,
                                   const GeneratedNames &names, const HeaderParts &parts) {
  for (const Cluster &cluster : layout.clusters)
    if (cluster.alignment > kLargestAlignment)
      return fail(Code::AlignmentTooLarge,
                  fmt::format("a cluster of '{}' is to be aligned to {} bytes, and cudaMalloc "
                              "promises {}",
                              shape.name, cluster.alignment, kLargestAlignment));
  for (const ShapeField &field : shape.fields)
    if (isTaken(field.name, shape, names))
      return fail(Code::NameTaken, fmt::format("field '{}' of '{}' has a name that the view needs",
                                               field.name, shape.name));
  std::vector<analysis::LayoutField> fields;
  for (const ShapeField &field : shape.fields)
    fields.push_back(
        {field.name, field.bytes, field.alignment, static_cast<std::uint32_t>(elementsOf(field))});
  const Result<analysis::AddressFunction> bound =
      analysis::AddressFunction::bind(layout, fields, layout.tile);
  if (!bound)
    return tl::unexpected(bound.error());
  return HeaderWriter(shape, layout, names, *bound).write(parts);
}

} // namespace relayout::rewriter
