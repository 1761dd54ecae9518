// SPDX-License-Identifier: Apache-2.0
// What the walk of one device function notes: probe points in evaluation order, straight-line
// regions, and what it cannot trace.
#pragma once

#include "model/access_chain.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

class ProbeNotes {
public:
  ProbeNotes(WalkContext &context, SourceFunction &source, FunctionInstance &instance)
      : context_(context), source_(source), instance_(instance) {}

  void beginFunction(const clang::FunctionDecl *function);
  /// Regions of what was noted are known once all of the function is.
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

  /// Where the walk is among the straight-line regions.
  struct Position {
    std::uint32_t region = 0;
    std::uint32_t boundaries = 0; ///< between regions so far
  };
  [[nodiscard]] Position position() const { return position_; }
  void returnTo(Position position) { position_ = position; }
  /// What comes is not scheduled together with what was.
  void endRegion();
  /// A region turned out to be scheduled as a part of another one.
  void joinRegions(std::uint32_t inside, std::uint32_t around) { partOf_[inside] = around; }

  const Point *loop = nullptr; ///< innermost one around the walk

private:
  /// What is accessed, as the trace has it and as a message calls it.
  struct Accessed {
    std::string record; ///< key; empty: memory that holds no records
    trace::Index field = trace::kNone;
    std::uint32_t bytes = 0;
    std::string label;
    clang::SourceLocation where;
  };
  enum class Form { Plain, Atomic };

  [[nodiscard]] bool isTraceable(const Chain &chain, const clang::Expr *whole, Form form,
                                 const std::string &label);
  [[nodiscard]] std::optional<Accessed> accessed(const Chain &chain, const clang::Expr *whole,
                                                 Form form, clang::QualType type);
  Point *fill(PointKind kind, const Chain &chain, const Accessed &what, const clang::Expr *edited);
  void newPoint(Point &point, PointKind kind, clang::SourceRange range);

  WalkContext &context_;
  SourceFunction &source_;
  FunctionInstance &instance_;
  const clang::FunctionDecl *function_ = nullptr;
  std::size_t cursor_ = 0; ///< where the next new point goes in source_.points
  Position position_;
  std::map<std::uint32_t, std::uint32_t> partOf_; ///< regions that turned out to be part of others
  std::vector<std::pair<Point *, std::uint32_t>> regionOf_;
};

} // namespace relayout::instrument
