// SPDX-License-Identifier: Apache-2.0
// What the walk over a function's body has found so far, and what is in the way.
#pragma once

#include "legality/element_effects.h"
#include "legality/object_parts.h"

#include <string>

namespace relayout::rewriter {

/// The object whose parts are followed: a parameter's, or the one that a method is called on.
struct TrackedObject {
  const clang::ParmVarDecl *parameter = nullptr;
  bool isThis = false;
  bool besideArrays = true; ///< it may be an element of an array whose layout changes
  /// Objects of classes that share no memory with this one may change; null: nothing else may.
  const clang::CXXRecordDecl *element = nullptr;

  [[nodiscard]] bool has(const Root &root) const {
    return root.isThis ? isThis : parameter != nullptr && root.variable == parameter;
  }
};

class EffectRecord {
public:
  EffectRecord(const Program &program, const clang::FunctionDecl &function, TrackedObject tracked)
      : program_(program), function_(function), tracked_(tracked) {}

  [[nodiscard]] const clang::FunctionDecl &function() const { return function_; }
  [[nodiscard]] const TrackedObject &tracked() const { return tracked_; }
  [[nodiscard]] bool isStopped() const { return !effects_.obstacle.empty(); }
  [[nodiscard]] ElementEffects take() { return std::move(effects_); }

  /// The first obstacle counts.
  void stop(const std::string &what);
  void read(const Root &root);
  /// Allowed for a variable of the function's own and for the tracked object.
  void write(const Root &root);
  /// An object that a reference or pointer leads to, and that is known by its type alone.
  void writeBehind(clang::QualType type, const std::string &what);
  /// A rewritten array might hold the very object.
  void checkName(const clang::ValueDecl &declaration);
  /// The effects of a function that is called.
  /// \param at  what it is called on, where that is part of the tracked object
  void include(const ElementEffects &callee, const std::string *at);

  /// Around what may run or not.
  void enterCondition() { ++conditions_; }
  void leaveCondition() { --conditions_; }
  /// What follows in the text may not be reached.
  void noteReturn() { mayReturn_ |= conditions_ != 0; }
  /// Behind a branch that may have returned, nothing is sure to run.
  void endBranch();

private:
  void touch(const std::string &path);

  const Program &program_;
  const clang::FunctionDecl &function_;
  TrackedObject tracked_;
  int conditions_ = 0; ///< branches and loops around
  bool mayReturn_ = false;
  ElementEffects effects_;
};

} // namespace relayout::rewriter
