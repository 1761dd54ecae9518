// SPDX-License-Identifier: Apache-2.0
// Accesses to arrays in another order whose subscripts are made of coordinates that stay inside
// their extents: `u[(x * ny + y) * nz + z]` becomes `u.at(x, y, z)`, which divides nothing.
#pragma once

#include "coordinates/digits.h"
#include "coordinates/host_values.h"
#include "coordinates/reading.h"
#include "coordinates/whole_pointers.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

class Coordinates {
public:
  explicit Coordinates(Program &program)
      : program_(program), values_(program), wholes_(program, values_.callers()) {}

  /// The arguments of `at` for an access, "x, y, z"; nothing where some coordinate may leave its
  /// extent, or an extent may be another than that of the array.
  [[nodiscard]] std::optional<std::string> of(const clang::ArraySubscriptExpr &access,
                                              const clang::FunctionDecl &function,
                                              std::uint32_t group, const Target &target);

  /// Takes out the declarations of variables that only replaced subscripts have used. After all
  /// edits of a pass.
  void dropUnused(Program &program);

private:
  /// What was replaced in a function.
  struct Replaced {
    std::vector<std::string> texts;
    std::set<const clang::VarDecl *> computed; ///< variables that subscripts are made of
  };
  [[nodiscard]] std::optional<Edit> withoutDeclaration(const clang::VarDecl &variable,
                                                       const clang::FunctionDecl &function,
                                                       const Replaced &replaced,
                                                       const EditSet &edits);

  /// By digit, the factors of its extent.
  using Extents = std::vector<std::vector<HostValue>>;

  [[nodiscard]] const std::optional<Extents> &extentsOf(std::uint32_t group, const Target &target);
  [[nodiscard]] std::optional<Extents> findExtents(std::uint32_t group, const Target &target);
  [[nodiscard]] std::optional<Extents> extentsAt(const Callers::Call &allocation,
                                                 const analysis::ElementOrder &order,
                                                 const instrument::ArrayGroup &arrays);
  [[nodiscard]] std::optional<HostValue> valueOf(const std::string &factor,
                                                 const Callers::Call &allocation);
  [[nodiscard]] bool mayEdit(const clang::FunctionDecl &function) const;
  /// A digit as the program spells it at the access, or as its parts add up to it.
  [[nodiscard]] std::optional<std::string> textOf(const Polynomial &digit, const Extent &extent,
                                                  Reading &reading,
                                                  const clang::ArraySubscriptExpr &access) const;
  [[nodiscard]] std::optional<std::string> spelling(const Polynomial &digit, Reading &reading,
                                                    const clang::Stmt &part,
                                                    const clang::Expr &access) const;

  Program &program_;
  HostValues values_;
  const WholePointers wholes_;
  std::map<std::uint32_t, std::optional<Extents>> extents_; ///< by group
  std::map<const clang::FunctionDecl *, Replaced> replaced_;
};

} // namespace relayout::rewriter
