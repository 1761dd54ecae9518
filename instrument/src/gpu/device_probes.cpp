// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the probes of device code, its second version without records, and the twins of
// kernels, which have that one only.
#include "gpu/device_probes.h"

#include "gpu/counter_sharing.h"
#include "gpu/kernel_twins.h"
#include "gpu/untraced_copies.h"
#include "gpu/warp_uniform.h"
#include "model/constant_functions.h"
#include "probes/access_probes.h"
#include "relayout/base/twin_names.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/StmtCXX.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace relayout::instrument {
namespace {

class DeviceProbes {
public:
  DeviceProbes(UnitReading &unit, DeviceCode code)
      : read_(unit), code_(code), facts_(unit.facts), edits_(*unit.host.edits),
        counting_(*unit.host.unit) {
    counting_.keepLines();
  }

  void run() {
    leaveShared();
    shareCounts(read_);
    for (auto &[place, function] : facts_.functions)
      if (function.takesProbes)
        findCopies(function);
    // The second text is made of its own edits, so these come first. Of edits with equal ranges the
    // first is the outer one.
    for (const auto &[function, copies] : copies_)
      insertCounts(*function);
    for (const auto &[function, copies] : copies_)
      for (const TokenRange &part : copies.parts)
        repeat(*function, part);
    trace::Index kernel = 0;
    for (auto &[place, function] : facts_.functions) {
      const trace::Index index = function.isKernel ? kernel++ : trace::kNone;
      if (!function.takesProbes)
        continue;
      insertRecords(function);
      if (const std::string text = opening(function, index, "kernel"); !text.empty())
        edits_.insertAfter(function.bodyBrace, text);
      if (const auto copies = copies_.find(&function);
          copies != copies_.end() && copies->second.twin)
        addTwin(function, index, *copies->second.twin);
    }
    if (hasConstexprProbes(facts_))
      dropConstexpr(*read_.host.unit, edits_);
  }

private:
  /// The recorder knows global memory alone.
  void leaveShared() {
    for (auto &[place, function] : facts_.functions)
      std::erase_if(function.points, [](const Point *point) { return point->isShared; });
  }

  static bool isEditable(const Point &point) { return point.id != 0 && point.inHostPass; }
  static bool isAccess(const Point &point) {
    return isEditable(point) && point.kind != PointKind::Loop && point.kind != PointKind::Call &&
           !point.isPartner;
  }

  static bool isCountedLoop(const Point &point) {
    return isEditable(point) && point.kind == PointKind::Loop && point.counter >= 0;
  }
  /// A body that cannot be edited is not counted.
  static void countIterations(TokenEdits &edits, const Point &loop, const std::string &statement) {
    static_cast<void>(insertInBody(edits, loop.loopStatement, statement));
  }
  static std::string iterated(const SourceFunction &function, const Point &loop) {
    return fmt::format("{}.iterated<{}>()", countsName(function), loop.counter);
  }

  /// Unique, so that a lambda's does not hide that of the function around it.
  static std::string countsName(const SourceFunction &function) {
    return fmt::format("relayoutCounts{}", function.bodyBrace);
  }
  static std::string togetherName(const TokenRange &loop) {
    return fmt::format("relayoutTogether{}", loop.first);
  }

  /// How an access is counted: its probe's template argument.
  static std::string counting(const Point &point) {
    return point.countedBy      ? "::relayout::probe::kByAnother"
           : point.counter >= 0 ? std::to_string(point.counter)
                                : "::relayout::probe::kAtOnce";
  }

  static bool holds(const TokenRange &part, const Point &point) {
    return isEditable(point) && part.first <= point.firstToken && point.lastToken <= part.last;
  }

  /// What of a function's text stands in the program again, to count only.
  struct Copies {
    std::vector<TokenRange> parts; ///< that hold an access, or a call of a function that is traced
    std::optional<TwinText> twin;
  };

  void findCopies(SourceFunction &function) {
    // What is left out in one pass and not in the other, nobody has looked at as a whole.
    if (!function.isTraced || function.hostText != function.deviceText)
      return;
    for (const auto &[definition, index] : read_.host.found.instanceOf) {
      if (read_.host.found.instances[index].source != &function)
        continue;
      Copies copies{repeatableParts(read_.host, patternOf(definition)), std::nullopt};
      std::erase_if(copies.parts, [&](const TokenRange &part) {
        return std::ranges::none_of(function.points,
                                    [&](const Point *point) { return holds(part, *point); });
      });
      if (function.isKernel) {
        const std::string name = twinName(definition->getNameAsString(), function.bodyBrace);
        copies.twin = twinText(read_.host, patternOf(definition), name);
        function.twin = copies.twin ? name : "";
      }
      if (!copies.parts.empty() || copies.twin)
        copies_.emplace(&function, std::move(copies));
      return;
    }
  }

  /// The version that only counts: of its accesses only those have a probe that others share.
  void insertCounts(const SourceFunction &function) {
    std::map<TokenRange, std::vector<int>> together;
    const auto ran = [&together](const Point &point) {
      std::vector<int> &counters = together[*point.together];
      counters.push_back(point.counter);
      return fmt::format("{}.ran<{}>()", togetherName(*point.together), counters.size() - 1);
    };
    for (const Point *point : function.outerFirst()) {
      insertLoop(counting_, *point);
      if (isCountedLoop(*point))
        countIterations(counting_, *point,
                        point->together ? ran(*point) : iterated(function, *point));
      if (!isAccess(*point) || !point->isInBody || point->countedBy)
        continue;
      if (point->together)
        insertCallBefore(counting_, *point, ran(*point));
      else
        insertProbe(counting_, *point,
                    fmt::format("{}.{}<{}>({}u, ", countsName(function),
                                point->kind == PointKind::Atomic ? "countAtomic" : "count",
                                counting(*point), point->id));
    }
    for (const auto &[loop, counters] : together) {
      const std::string &begin = together_[loop.first] = fmt::format(
          "{{ ::relayout::probe::Together<{}> {}; ", counters.size(), togetherName(loop));
      counting_.wrap(loop.first, loop.last, begin,
                     fmt::format(" {}.add<{}>({}); }}", countsName(function),
                                 fmt::join(counters, ", "), togetherName(loop)));
    }
  }

  void repeat(const SourceFunction &function, const TokenRange &part) {
    edits_.wrap(part.first, part.last, fmt::format("if ({}.records()) {{ ", countsName(function)),
                fmt::format(" }} else {{\n#line {}\n{} }}", lineOf(part.first),
                            counting_.edited(part.first, part.last)));
  }

  void insertRecords(const SourceFunction &function) {
    std::set<const Point *> divided;
    if (const auto copies = copies_.find(&function); copies != copies_.end())
      for (const Point *point : function.points)
        for (const TokenRange &part : copies->second.parts)
          if (point->kind == PointKind::Loop && !point->loop && !point->isBare &&
              holds(part, *point) && divideLoop(function, *point))
            divided.insert(point);
    for (const Point *point : function.points)
      if (!divided.contains(point))
        insertLoop(edits_, *point);
    for (const Point *point : function.points)
      if (isCountedLoop(*point))
        countIterations(edits_, *point, iterated(function, *point));
    for (const Point *point : function.outerFirst())
      if (isAccess(*point))
        insertAccess(function, *point);
  }

  /// Makes a loop that stops when the warp has no room for records any more, and one that only
  /// counts and goes on from there, without a second look at a condition that was false:
  ///   `for (INIT; ;) { for (; has room && (COND); INC) with records
  ///                    if (had no room) for (; COND; INC) with counts  break; }`
  /// \returns false if it stays one loop
  bool divideLoop(const SourceFunction &function, const Point &point) {
    const auto range = tokensOf(edits_, point.loopStatement);
    const auto *counted = clang::dyn_cast<clang::ForStmt>(point.loopStatement);
    const auto *tested = clang::dyn_cast<clang::WhileStmt>(point.loopStatement);
    const clang::Expr *condition = counted  ? counted->getCond()
                                   : tested ? tested->getCond()
                                            : nullptr;
    if (!range || !condition || point.hasPragma)
      return false;
    // A `break` would have to leave both. What a condition declares, the body may use.
    if ((counted ? counted->getConditionVariable() : tested->getConditionVariable()) ||
        jumpsOutOfLoop(counted ? counted->getBody() : tested->getBody()))
      return false;
    const auto first = edits_.indexOf(condition->getBeginLoc());
    const auto last = edits_.indexOf(condition->getEndLoc());
    const auto begin =
        counted ? firstSemicolon(edits_, counted) : edits_.indexOf(tested->getLParenLoc());
    if (!first || !last || !begin || !isPieceOfFile(read_.host, {*begin, range->last}))
      return false;
    const std::string oneByOne = point.partsLanes ? "RELAYOUT_ONE_BY_ONE " : "";
    const auto together = together_.find(range->first);
    const std::string rest =
        fmt::format("\n#line {}\nif (!{}.hadRoom()) {}{}{}{}", lineOf(*begin), countsName(function),
                    together != together_.end() ? together->second : "", oneByOne,
                    counted ? "for (" : "while ", counting_.edited(*begin, range->last));
    if (counted) {
      edits_.wrap(*begin, range->last, "", rest + " break; }");
      edits_.insertAfter(*begin, fmt::format(" ;) {{ {}for (;", oneByOne));
    } else {
      edits_.wrap(range->first, range->last, "{ " + oneByOne, rest + " }");
    }
    edits_.wrap(*first, *last, fmt::format("{}.hasRoom() && (", countsName(function)), ")");
    return true;
  }

  [[nodiscard]] unsigned lineOf(TokenEdits::Index token) const {
    return read_.host.unit->sources().getPresumedLineNumber(edits_.token(token).getLocation());
  }

  /// Lanes that leave a loop at different times are counted rightly as long as it stays one loop.
  static void insertLoop(TokenEdits &edits, const Point &point) {
    if (isEditable(point) && point.kind == PointKind::Loop && point.partsLanes)
      edits.insertBefore(point.firstToken, "RELAYOUT_ONE_BY_ONE ");
  }

  void insertAccess(const SourceFunction &function, const Point &point) {
    const char *const call = point.partner                                       ? "readWrite"
                             : point.kind == PointKind::Atomic                   ? "atomic"
                             : point.kind == PointKind::Read && !point.isInPlace ? "read"
                                                                                 : "access";
    const std::string partner = point.partner ? fmt::format("{}u, ", point.partner->id) : "";
    const std::string probe =
        !point.isInBody ? fmt::format("::relayout::probe::{}", call)
                        : fmt::format("{}.{}<{}{}>", countsName(function), call, counting(point),
                                      point.recordsInPlace ? "" : ", false");
    insertProbe(edits_, point, fmt::format("{}({}u, {}", probe, point.id, partner));
  }

  /// Tells which kernel runs, and makes room for the counters of this function's loops.
  /// \param call  of probes, with which a kernel begins
  [[nodiscard]] std::string opening(const SourceFunction &function, trace::Index kernel,
                                    std::string_view call) const {
    // What a linked kernel calls, nobody can see here.
    if (!function.isTraced && !(function.isKernel && code_ == DeviceCode::Linked))
      return {};
    std::string text;
    if (function.isKernel)
      text += fmt::format(" ::relayout::probe::{}({}u);", call, kernel);
    std::map<int, std::uint32_t> siteOf;
    bool isUsed = copies_.contains(&function);
    for (const Point *point : function.points) {
      isUsed |= point->isInBody || point->counter >= 0;
      if (point->counter >= 0)
        siteOf[point->counter] = point->id;
    }
    std::string sites;
    for (const auto &[counter, site] : siteOf)
      sites += fmt::format("{}{}u", sites.empty() ? "" : ", ", site);
    if (isUsed)
      text += fmt::format(" ::relayout::probe::Counts<{}> {};", sites, countsName(function));
    return text;
  }

  /// A second kernel behind the first, with the version that only counts.
  void addTwin(const SourceFunction &kernel, trace::Index index, const TwinText &twin) {
    counting_.insertAfter(kernel.bodyBrace, opening(kernel, index, "twinOf"));
    edits_.insertAfter(twin.body.last,
                       fmt::format("\n#line {}\n{}{}", twin.line, twin.head,
                                   counting_.edited(twin.body.first, twin.body.last)));
  }

  UnitReading &read_;
  DeviceCode code_;
  Facts &facts_;
  TokenEdits &edits_;
  TokenEdits counting_; ///< of the version without records
  std::map<const SourceFunction *, Copies> copies_;
  /// What begins the counting of a loop as a whole, in the version without records, by its token.
  std::map<TokenEdits::Index, std::string> together_;
};

} // namespace

void insertDeviceProbes(UnitReading &unit, DeviceCode code) { DeviceProbes(unit, code).run(); }

} // namespace relayout::instrument
