// SPDX-License-Identifier: Apache-2.0
// Functions of views that read and write whole elements, as text of the generated header.
#include "header/element_code.h"

#include "header/row_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

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

/// Writes load() and store() of one class.
class ElementWriter {
public:
  /// \param isConst  of the view of const records
  ElementWriter(const ElementCode &code, bool isConst)
      : shape_(code.shape), stem_(code.stem), planes_(code.planes), storage_(code.storage),
        isBraced_(code.isBraced()), isConst_(isConst) {}

  std::string load() {
    if (shape_.isScalar) {
      text_ += fmt::format("  __host__ __device__ {} load(std::ptrdiff_t i = 0) const {{ return "
                           "{}; }}\n",
                           shape_.name, elementAt(shape_, "i"));
      return std::move(text_);
    }
    if (shape_.hasPrivateMembers)
      text_ += fmt::format("  __host__ __device__ {}Members members(std::ptrdiff_t i) const {{\n",
                           stem_);
    else
      text_ += fmt::format("  __host__ __device__ {}{} load(std::ptrdiff_t i = 0) const {{\n",
                           isConst_ ? "const " : "", shape_.name);
    for (const PlaneCode &plane : planes_)
      if (plane.isStruct && !plane.exploded)
        text_ += fmt::format("    const {} part{} = {};\n", plane.type, plane.index, whole(plane));
    if (isBraced_)
      return loadInBraces();
    if (shape_.hasPrivateMembers)
      text_ += declared(stem_ + "Members", "value", "    ", constructsMembers());
    else if (shape_.defaultConstructs)
      text_ += fmt::format("    {} value;\n", shape_.name);
    else
      text_ += fmt::format("    {}Storage storage;\n    {} &value = storage.value;\n", stem_,
                           shape_.name);
    for (const ShapeField &field : shape_.fields)
      if (const PlaneCode &plane = planeWith(field, planes_); !plane.exploded)
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
    if (shape_.hasPrivateMembers && !shape_.isCopiedByHostAlone)
      loadOfMembers();
    return std::move(text_);
  }

  std::string store(bool returnsValue) {
    if (shape_.isScalar) {
      text_ += fmt::format("  __host__ __device__ void store(std::ptrdiff_t i, {} value) const {{ "
                           "{} = value; }}\n",
                           shape_.name, elementAt(shape_, "i"));
      return std::move(text_);
    }
    const std::string given = shape_.hasPrivateMembers ? "element" : "value";
    text_ += fmt::format(
        "  __host__ __device__ {2}store(std::ptrdiff_t i, const {0} &{1}) const {{\n", shape_.name,
        given, returnsValue ? fmt::format("const {} &", shape_.name) : "void ");
    if (shape_.hasPrivateMembers)
      copyMembers();
    for (const PlaneCode &plane : planes_)
      if (plane.isStruct && !plane.exploded)
        text_ +=
            declared(plane.type, fmt::format("part{}", plane.index), "    ", plane.isMadeByHost());
    for (const ShapeField &field : shape_.fields)
      if (const PlaneCode &plane = planeWith(field, planes_); !plane.exploded)
        text_ += copyField(field, partOf(field, plane), "value." + field.name);
    for (const PlaneCode &plane : planes_) {
      const std::string put =
          plane.isStruct ? fmt::format("{} = part{};\n", whole(plane), plane.index) : std::string();
      if (plane.exploded) {
        text_ += fmt::format("    for (int k = 0; k < {}; ++k) {{\n", plane.lanes);
        if (plane.isStruct)
          text_ += declared(plane.type, fmt::format("part{}", plane.index), "      ",
                            plane.isMadeByHost());
        for (const ShapeField *field : plane.fields)
          text_ += fmt::format("      {} = value.{}{};\n", partOf(*field, plane), field->name,
                               subscriptsAt(*field, "k"));
        text_ += (put.empty() ? put : "      " + put) + "    }\n";
      } else if (!put.empty()) {
        text_ += "    " + put;
      }
    }
    if (returnsValue)
      text_ += fmt::format("    return {};\n", given);
    text_ += "  }\n";
    return std::move(text_);
  }

  std::string membersOf() {
    text_ += fmt::format("  static __host__ __device__ {}Members membersOf(const {} &element) {{\n",
                         stem_, shape_.name);
    copyMembers();
    text_ += "    return value;\n  }\n";
    return std::move(text_);
  }

private:
  void copyMembers() {
    text_ += declared(stem_ + "Members", "value", "    ", constructsMembers());
    text_ += "    std::memcpy(static_cast<void *>(&value), static_cast<const void *>(&element), "
             "sizeof(value));\n";
  }

  [[nodiscard]] bool constructsMembers() const {
    return std::ranges::any_of(shape_.fields, &ShapeField::isMadeByHost);
  }

  /// Private members are loaded into a struct of the same members first.
  void loadOfMembers() {
    text_ += fmt::format("  __host__ __device__ {2}{0} load(std::ptrdiff_t i = 0) const {{\n"
                         "    const {1}Members members = this->members(i);\n",
                         shape_.name, stem_, isConst_ ? "const " : "");
    text_ += shape_.defaultConstructs
                 ? fmt::format("    {} value;\n", shape_.name)
                 : fmt::format("    {}Storage storage;\n    {} &value = storage.value;\n", stem_,
                               shape_.name);
    text_ += "    std::memcpy(static_cast<void *>(&value), &members, sizeof(value));\n"
             "    return value;\n  }\n";
  }

  std::string loadInBraces() {
    std::vector<std::string> values;
    for (const ShapeField &field : shape_.fields)
      values.push_back(partOf(field, planeWith(field, planes_)));
    text_ += fmt::format("    return {{{}}};\n  }}\n", fmt::join(values, ", "));
    return std::move(text_);
  }

  [[nodiscard]] std::string whole(const PlaneCode &plane) const {
    return storage_.at(plane, "k", /*hinted=*/false);
  }
  /// Where load and store have the field: in the local copy of its cluster, or in its plane.
  [[nodiscard]] std::string partOf(const ShapeField &field, const PlaneCode &plane) const {
    return plane.isStruct ? fmt::format("part{}.{}", plane.index, field.name) : whole(plane);
  }

  const RecordShape &shape_;
  const std::string &stem_;
  const std::vector<PlaneCode> &planes_;
  const ViewStorage &storage_;
  bool isBraced_;
  bool isConst_;
  std::string text_;
};

} // namespace

bool ElementCode::isBraced() const {
  return shape.isAggregate && std::ranges::all_of(shape.fields, [](const ShapeField &field) {
           return field.extents.empty();
         });
}

std::string ElementCode::load(bool isConst) const { return ElementWriter(*this, isConst).load(); }

std::string ElementCode::store(bool returnsValue) const {
  return ElementWriter(*this, /*isConst=*/false).store(returnsValue);
}

std::string ElementCode::membersOf() const {
  return ElementWriter(*this, /*isConst=*/false).membersOf();
}

} // namespace relayout::rewriter
