// SPDX-License-Identifier: Apache-2.0
// Where the integers come from that functions are called with: extents of arrays above all.
#pragma once

#include "coordinates/function_body.h"
#include "coordinates/outer_values.h"
#include "pass/callers.h"
#include "pass/program.h"
#include "relayout/instrument/clang/size_factors.h"

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayout::rewriter {

/// A number, a variable, a member of a variable that is a record, or of all objects. Two that are
/// equal have the same value wherever the same activation of the variable's scope is meant.
struct HostValue {
  const clang::VarDecl *variable = nullptr;
  const clang::FieldDecl *member = nullptr;
  std::int64_t number = 0; ///< of neither

  [[nodiscard]] bool isNumber() const { return !variable && !member; }

  bool operator==(const HostValue &) const = default;
};

class HostValues {
public:
  explicit HostValues(const Program &program)
      : program_(program), callers_(program), outer_(program, callers_) {}

  /// What an expression's value is, behind parameters and copies; nothing where that is not known.
  /// \param from  where it is computed, in `around`
  [[nodiscard]] std::optional<HostValue>
  of(const clang::Expr &expression, const clang::FunctionDecl &around, const clang::Stmt &from);

  /// Where all calls pass one value, that; else the parameter itself, if it never changes.
  [[nodiscard]] std::optional<HostValue> ofParameter(const clang::ParmVarDecl &parameter,
                                                     const clang::FunctionDecl &function);

  /// A member or a global variable that has one value wherever it is read, given that it is an
  /// extent of an array there.
  [[nodiscard]] std::optional<HostValue> ofOuter(const clang::ValueDecl &declaration);

  /// A factor of an extent, as the program writes it where it allocates, or calls what does.
  /// \param name  what is visible there; null for numbers
  [[nodiscard]] std::optional<HostValue> ofFactor(const std::string &factor,
                                                  const instrument::ExtentName *name,
                                                  const Callers::Call &allocation);

  /// True where no array of a group lives longer than the value: it has one in a run of the
  /// program, or the pointers to the arrays are local to its scope.
  [[nodiscard]] bool outlives(const HostValue &value, const instrument::ArrayGroup &group);

  [[nodiscard]] const Callers &callers() const { return callers_; }
  [[nodiscard]] const FunctionBody &bodyOf(const clang::FunctionDecl &function);

private:
  [[nodiscard]] std::optional<HostValue> findOuter(const clang::ValueDecl &declaration);
  [[nodiscard]] std::optional<HostValue> ofVariable(const clang::VarDecl &variable,
                                                    const clang::FunctionDecl &around,
                                                    const clang::Stmt &from);
  [[nodiscard]] std::optional<HostValue> ofCalls(unsigned position,
                                                 const clang::FunctionDecl &function);

  const Program &program_;
  const Callers callers_;
  const OuterValues outer_;
  std::map<const clang::ValueDecl *, std::optional<HostValue>> outerValues_;
  std::map<const clang::FunctionDecl *, std::unique_ptr<FunctionBody>> bodies_;
  int depth_ = 0;
};

} // namespace relayout::rewriter
