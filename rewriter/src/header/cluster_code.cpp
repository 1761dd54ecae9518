// SPDX-License-Identifier: Apache-2.0
// One cluster of a layout as text of the generated header.
#include "header/cluster_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace relayout::rewriter {

std::uint64_t elementsOf(const ShapeField &field) {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : field.extents)
    elements *= extent;
  return elements;
}

std::string subscriptsAt(const ShapeField &field, const std::string &k) {
  std::string text;
  std::uint64_t inner = elementsOf(field);
  for (std::size_t level = 0; level < field.extents.size(); ++level) {
    inner /= field.extents[level];
    std::string index = inner == 1 ? k : fmt::format("{} / {}", k, inner);
    if (level != 0)
      index += fmt::format(" % {}", field.extents[level]);
    text += fmt::format("[{}]", index);
  }
  return text;
}

namespace {

/// Of characters and other small numbers the compiler would store each by itself.
constexpr std::uint32_t kWord = 4, kWidestAccess = 16;

/// What elements of so many bytes are aligned to where their planes are: in one tile, or in tiles
/// whose planes all begin at such places.
std::uint32_t alignmentIn(const analysis::Layout &layout, std::uint64_t bytes) {
  const bool beginsWide = (layout.startAlignment == 0 || layout.startAlignment >= kWidestAccess) &&
                          layout.tile % kWidestAccess == 0 && layout.padBytes % kWidestAccess == 0;
  return beginsWide ? static_cast<std::uint32_t>(std::gcd(bytes, kWidestAccess)) : 1;
}

} // namespace

PlaneCode::PlaneCode(const RecordShape &shape, const analysis::Layout &layout, std::size_t number,
                     const std::string &stem)
    : index(number), exploded(layout.clusters[number].exploded),
      hasDestructor(shape.hasDestructor) {
  const analysis::Cluster &cluster = layout.clusters[number];
  std::uint32_t natural = 1;
  std::uint64_t bytes = 0;
  for (const std::uint32_t field : cluster.fields) {
    fields.push_back(&shape.fields[field]);
    const std::uint64_t alignment = shape.fields[field].alignment;
    natural = std::max(natural, shape.fields[field].alignment);
    bytes = (bytes + alignment - 1) / alignment * alignment + shape.fields[field].bytes;
  }
  bytes = (bytes + natural - 1) / natural * natural;
  const ShapeField &first = *fields.front();
  if (exploded)
    lanes = elementsOf(first);
  if (cluster.alignment > natural)
    alignas_ = cluster.alignment;
  else if (natural < kWord && !exploded && (fields.size() > 1 || !first.extents.empty()))
    alignas_ = std::max(natural, alignmentIn(layout, bytes));
  if (alignas_ == natural)
    alignas_ = 0;
  isStruct = fields.size() > 1 || (!first.extents.empty() && !exploded) ||
             first.explicitlyAligned || first.isVolatile || alignas_ != 0;
  type = isStruct ? fmt::format("{}Cluster{}", stem, number) : first.type;
}

std::string PlaneCode::definition() const {
  if (!isStruct)
    return {};
  const std::string aligned = alignas_ == 0 ? std::string() : fmt::format("alignas({}) ", alignas_);
  std::string text =
      fmt::format("/// An element's {}.\nstruct {}{} {{\n", fieldList(), aligned, type);
  for (const ShapeField *field : fields) {
    if (field->explicitlyAligned)
      text += fmt::format("  alignas({})", field->alignment);
    text += fmt::format("  {} {}", field->type, field->name);
    if (!exploded)
      for (const std::uint64_t extent : field->extents)
        text += fmt::format("[{}]", extent);
    text += ";\n";
  }
  text += "};\n\n";
  return isMadeByHost() ? text + roomFor(type, type + "Storage", hasDestructor) : text;
}

bool PlaneCode::isMadeByHost() const {
  return isStruct &&
         std::ranges::any_of(fields, [](const ShapeField *field) { return field->isMadeByHost; });
}

std::string roomFor(const std::string &type, const std::string &room, bool hasDestructor) {
  return fmt::format("/// Room for a record that is filled in field by field.\n"
                     "union {0} {{\n  char none;\n  {1} value;\n"
                     "  __host__ __device__ {0}() : none(0) {{}}\n{2}}};\n\n",
                     room, type,
                     hasDestructor ? fmt::format("  __host__ __device__ ~{}() {{}}\n", room) : "");
}

std::string declared(const std::string &type, const std::string &name, const std::string &indent,
                     bool isMadeByHost) {
  return isMadeByHost ? fmt::format("{2}{0}Storage {1}Room;\n{2}{0} &{1} = {1}Room.value;\n", type,
                                    name, indent)
                      : fmt::format("{2}{0} {1};\n", type, name, indent);
}

std::string PlaneCode::fieldList() const {
  std::vector<std::string> names;
  for (const ShapeField *field : fields)
    names.push_back(field->name + (exploded ? subscriptsAt(*field, "k") : std::string()));
  return fmt::format("{}", fmt::join(names, ", "));
}

const PlaneCode &planeWith(const ShapeField &field, const std::vector<PlaneCode> &planes) {
  return *std::ranges::find_if(planes, [&](const PlaneCode &plane) {
    return std::ranges::count(plane.fields, &field) != 0;
  });
}

AccessorIndices indicesOf(const ShapeField &field, const PlaneCode &plane) {
  AccessorIndices indices{"std::ptrdiff_t i", {}, "i"};
  if (!plane.exploded)
    indices.parameters += " = 0";
  for (std::size_t level = 0; plane.exploded && level < field.extents.size(); ++level) {
    const std::string index =
        field.extents.size() == 1 ? std::string("k") : fmt::format("k{}", level);
    indices.parameters += ", std::ptrdiff_t " + index;
    indices.arguments += ", " + index;
    if (level == 0)
      indices.lane = index;
    else
      indices.lane =
          fmt::format("{} * {} + {}", level == 1 ? indices.lane : fmt::format("({})", indices.lane),
                      field.extents[level], index);
  }
  return indices;
}

std::vector<PlaneCode> planesOf(const RecordShape &shape, const analysis::Layout &layout,
                                const std::string &stem) {
  std::vector<PlaneCode> planes;
  for (std::size_t c = 0; c < layout.clusters.size(); ++c)
    planes.emplace_back(shape, layout, c, stem);
  return planes;
}

} // namespace relayout::rewriter
