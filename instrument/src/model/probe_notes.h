// SPDX-License-Identifier: Apache-2.0
// What the walk of one device function notes: probe points in evaluation order, the function's
// outline, and what it cannot trace.
#pragma once

#include "model/access_chain.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

class ProbeNotes {
public:
  ProbeNotes(WalkContext &context, SourceFunction &source, FunctionInstance &instance)
      : context_(context), source_(source), instance_(instance) {}

  void beginFunction(const clang::FunctionDecl *function) { function_ = function; }
  /// Enters the function's outline into the facts.
  void endFunction();

  void warn(Code code, std::string text, clang::SourceLocation where);
  void remark(Code code, std::string text, clang::SourceLocation where);

  /// \returns the point of this kind at this place, new or known; null for code without text
  Point *addPoint(PointKind kind, clang::SourceRange range);
  /// \param whole   the accessed glvalue; of an atomic through a plain pointer the pointer
  /// \param use     Read, ReadInPlace, Write or ReadWrite
  void access(const Chain &chain, const clang::Expr *whole, Use use);
  /// \param pointer  the argument that a probe goes around
  void atomicAccess(const Chain &chain, const clang::Expr *whole, const clang::Expr *pointer);
  /// A template's text may be an access in one instantiation, and this in another.
  void unprobable(const clang::Expr *expression);
  void bitField(const clang::Expr *expression); ///< or a bit-field

  /// \param point  whose access or loop it is, if it has one
  void addStep(trace::code::Step step, const Point *point = nullptr);

  const Point *loop = nullptr; ///< innermost one around the walk
  std::size_t accesses = 0;    ///< noted so far

private:
  /// What is accessed, as the trace has it and as a message calls it.
  struct Accessed {
    NamedText record; ///< key; empty: memory that holds no records
    trace::Index field = trace::kNone;
    std::uint32_t bytes = 0;
    clang::SourceLocation where;
    std::optional<BitFieldAccess> bitField = {};
  };
  enum class Form { Plain, Atomic };

  [[nodiscard]] bool isTraceable(const Chain &chain, const clang::Expr *whole, Form form);
  [[nodiscard]] std::optional<Accessed> accessed(const Chain &chain, const clang::Expr *whole,
                                                 Form form, clang::QualType type);
  Point *fill(PointKind kind, const Chain &chain, const Accessed &what, const clang::Expr *edited);
  void newPoint(Point &point, PointKind kind, clang::SourceRange range);
  [[nodiscard]] bool endsWhatHasEnded(const trace::code::Step &step) const;

  WalkContext &context_;
  SourceFunction &source_;
  FunctionInstance &instance_;
  const clang::FunctionDecl *function_ = nullptr;
  std::size_t cursor_ = 0;         ///< where the next new point goes in source_.points
  std::vector<OutlineStep> steps_; ///< of the function's outline
};

} // namespace relayout::instrument
