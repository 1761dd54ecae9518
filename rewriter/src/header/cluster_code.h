// SPDX-License-Identifier: Apache-2.0
// One cluster of a layout as text of the generated header: its struct, and its fields in it.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/rewriter/header.h"

#include <string>
#include <vector>

namespace relayout::rewriter {

/// A cluster as the header stores it: a struct of its own, or the bare type of its only field. What
/// is volatile is in a struct, so that planes are memory as any other.
/// An exploded cluster is stored once for each array element, and has one of them in its struct.
struct PlaneCode {
  PlaneCode(const RecordShape &shape, const analysis::Layout &layout, std::size_t number,
            const std::string &stem);

  std::size_t index = 0;
  std::string type;
  bool isStruct = false;
  std::uint64_t lanes = 1; ///< planes: one, or one an array element
  bool exploded = false;
  std::vector<const ShapeField *> fields; ///< in storage order
  bool hasDestructor = false;             ///< the record, or some of its members
  std::uint32_t alignas_ = 0;             ///< bytes, beyond what the fields ask for; 0: none

  /// Whether a variable of the struct would call a function that device code may not call.
  [[nodiscard]] bool isMadeByHost() const;
  /// The struct's definition; empty for a bare field.
  [[nodiscard]] std::string definition() const;
  /// "x, y, z", exploded ones as "value[k]".
  [[nodiscard]] std::string fieldList() const;
};

/// A union in which a value is filled in that is not constructed.
[[nodiscard]] std::string roomFor(const std::string &type, const std::string &room,
                                  bool hasDestructor);
/// `T name;`, in such room where it is not to be constructed.
[[nodiscard]] std::string declared(const std::string &type, const std::string &name,
                                   const std::string &indent, bool isMadeByHost);

[[nodiscard]] std::vector<PlaneCode>
planesOf(const RecordShape &shape, const analysis::Layout &layout, const std::string &stem);

/// The one that holds the field.
[[nodiscard]] const PlaneCode &planeWith(const ShapeField &field,
                                         const std::vector<PlaneCode> &planes);

/// What an accessor is called with: the element's number, and those of an exploded array.
struct AccessorIndices {
  std::string parameters, lane;
  std::string arguments; ///< that pass the parameters on
};
[[nodiscard]] AccessorIndices indicesOf(const ShapeField &field, const PlaneCode &plane);

/// Elements of an array member, all extents multiplied; 1 for a scalar.
[[nodiscard]] std::uint64_t elementsOf(const ShapeField &field);

/// "[k / 3][k % 3]": where element k, counted through all extents, stands in an array member.
[[nodiscard]] std::string subscriptsAt(const ShapeField &field, const std::string &k);

} // namespace relayout::rewriter
