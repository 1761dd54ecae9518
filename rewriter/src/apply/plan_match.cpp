// SPDX-License-Identifier: Apache-2.0
// Whether a plan is the program's, which arrays its decisions are about, and whether those may be
// laid out anew.
#include "apply/plan_match.h"

#include "legality/record_shape.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

namespace relayout::rewriter {

using analysis::Decision;

bool isMadeFor(const analysis::Plan &plan, const std::vector<instrument::ParsedUnit *> &units,
               const instrument::SourceSet &sources) {
  if (plan.sourceDigest == instrument::sourceDigest(sources))
    return true;
  std::set<std::string> digests;
  for (instrument::ParsedUnit *unit : units)
    digests.insert(instrument::sourceDigest(instrument::sourcesOf({unit})));
  std::istringstream named(plan.sourceDigest);
  return !plan.sourceDigest.empty() &&
         std::all_of(std::istream_iterator<std::string>(named), {},
                     [&](const std::string &digest) { return digests.contains(digest); });
}

bool isUnchanged(const Decision &decision, const RecordShape &shape) {
  return analysis::keepsBytes(decision.layout, layoutFieldsOf(shape), shape.bytes) &&
         decision.layout.clusters.front().alignment <= shape.alignment;
}

std::string kindOf(const analysis::Layout &layout) {
  if (layout.tile == 1 && layout.clusters.size() == 1)
    return "Padded";
  if (layout.tile != 0)
    return fmt::format("Tiles{}", layout.tile);
  if (!layout.order.isAsNumbered())
    return "Reordered";
  if (std::ranges::any_of(layout.clusters, &analysis::Cluster::exploded))
    return "Exploded";
  if (layout.clusters.size() == 1)
    return "Aligned";
  const bool isSoa = std::ranges::all_of(
      layout.clusters, [](const analysis::Cluster &cluster) { return cluster.fields.size() == 1; });
  return isSoa ? "Soa" : "Split";
}

namespace {

bool speaksOf(const Decision &decision, const clang::CXXRecordDecl &record) {
  if (clang::isa<clang::ClassTemplateSpecializationDecl>(record) ||
      instrument::isScalarRecord(record))
    return instrument::traceNameOf(record) == decision.record;
  const std::string &name = decision.record;
  const std::size_t scope = name.rfind("::");
  return nameOf(record) == (scope == std::string::npos ? name : name.substr(scope + 2));
}

} // namespace

Namesake namesakeOf(const analysis::Plan &plan, const Decision &decision) {
  Namesake namesake{0, 0};
  for (const Decision &other : plan.decisions) {
    if (other.record != decision.record || other.arrays != decision.arrays)
      continue;
    if (&other == &decision)
      namesake.number = namesake.count;
    ++namesake.count;
  }
  return namesake;
}

std::vector<std::uint32_t> groupsOf(const instrument::ArrayFlow &flow, const Decision &decision,
                                    instrument::Pass pass, bool isOtherwiseSplit,
                                    const Namesake &namesake) {
  const std::set<std::string> arrays(decision.arrays.begin(), decision.arrays.end());
  std::set<std::string> known;
  for (const instrument::ArrayGroup &group : flow.groups())
    known.insert(group.arrays.begin(), group.arrays.end());
  // Where a class stands for Thrust vectors in one form of the program and does not in the other,
  // the class makes one group of what are several.
  const bool isInParts = !std::ranges::includes(known, arrays);
  // And where Thrust's own pointers to the arrays are read in one form alone, they are more names.
  const bool isWhole = std::ranges::any_of(flow.groups(), [&](const instrument::ArrayGroup &group) {
    return std::set<std::string>(group.arrays.begin(), group.arrays.end()) == arrays &&
           group.record && speaksOf(decision, *group.record);
  });
  std::vector<std::uint32_t> named, found;
  for (std::uint32_t g = 0; g < flow.groups().size(); ++g) {
    const instrument::ArrayGroup &group = flow.groups()[g];
    const std::set<std::string> own(group.arrays.begin(), group.arrays.end());
    const bool isByAnyName =
        (pass == instrument::Pass::Device && !isWhole) || (isOtherwiseSplit && !decision.keep);
    const bool matches =
        isByAnyName
            ? std::ranges::any_of(group.arrays,
                                  [&](const std::string &name) { return arrays.contains(name); })
            : own == arrays || (isInParts && std::ranges::includes(arrays, own)) ||
                  (!isWhole && !isInParts && std::ranges::includes(own, arrays));
    if (matches)
      named.push_back(g);
    if (matches && group.record && speaksOf(decision, *group.record))
      found.push_back(g);
  }
  // What one of them shares a name with, but nothing is given to, as a member that nobody calls.
  const auto isGiven = [&](std::uint32_t g) {
    const instrument::Origins &origins = flow.groups()[g].origins;
    return origins.device || origins.managed || origins.pinned || origins.symbol ||
           origins.unknown || origins.host || origins.local || origins.shared || origins.ownShared;
  };
  if (pass == instrument::Pass::Host && isOtherwiseSplit && std::ranges::any_of(found, isGiven))
    std::erase_if(found, [&](std::uint32_t g) { return !isGiven(g); });
  if (namesake.count > 1 && found.size() == namesake.count)
    found = {found[namesake.number]};
  else if (namesake.count > 1 && named.size() == namesake.count) // static functions of other units
    std::erase_if(found, [&](std::uint32_t g) { return g != named[namesake.number]; });
  return found;
}

bool isOfVariables(const instrument::ArrayGroup &group) {
  const instrument::Origins &origins = group.origins;
  return origins.symbol && !origins.device && !origins.managed && !origins.pinned &&
         !origins.unknown;
}

/// Pointers of kernels that no `<<<...>>>` hands any: nothing of the host is among them.
bool isOfDeviceAlone(const instrument::ArrayGroup &group) {
  return std::ranges::all_of(group.declarations, [](const clang::ValueDecl *declaration) {
    const auto *function = dyn_cast<clang::FunctionDecl>(declaration->getDeclContext());
    return function && (function->hasAttr<clang::CUDAGlobalAttr>() ||
                        (function->hasAttr<clang::CUDADeviceAttr>() &&
                         !function->hasAttr<clang::CUDAHostAttr>()));
  });
}

namespace {

std::string structNameOf(const clang::RecordDecl &record) {
  const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl();
  return alias ? alias->getNameAsString() : record.getNameAsString();
}

} // namespace

std::string holderNameOf(const clang::ValueDecl &pointer) {
  if (const auto *field = dyn_cast<clang::FieldDecl>(&pointer))
    return structNameOf(*field->getParent());
  const auto *function = dyn_cast<clang::FunctionDecl>(pointer.getDeclContext());
  return function ? function->getNameAsString() + "()" : std::string();
}

namespace {

/// Why what holds a pointer of the group has one form for host and device.
std::vector<Note> notesOn(const std::vector<instrument::SharedHolder> &holders,
                          const instrument::ArrayGroup &group) {
  std::vector<Note> notes;
  for (const instrument::SharedHolder &holder : holders)
    if (!holder.obstacle.empty() &&
        std::ranges::any_of(group.declarations, [&](const clang::ValueDecl *declaration) {
          return holderNameOf(*declaration) == holder.name;
        }))
      notes.push_back(
          {holder.obstaclePlace,
           fmt::format("'{}' cannot be two {}, one for each: {}", holder.name,
                       holder.name.ends_with("()") ? "functions" : "types", holder.obstacle)});
  return notes;
}

} // namespace

void checkOrigins(const instrument::ArrayGroup &group, const Target &target,
                  const std::vector<instrument::SharedHolder> &holders, Findings &findings) {
  const std::string arrays =
      fmt::format("the arrays of '{}' around '{}'", target.shape.name, group.arrays.front());
  const auto refuse = [&](Code code, std::string text, const SourcePlace &where,
                          const char *remedy) {
    std::vector<Note> notes = notesOn(holders, group);
    if (code == Code::OtherMemory && !group.hostMemory.empty())
      notes.push_back({group.hostMemory.front(), group.origins.deviceHeap
                                                     ? "the other memory comes from here"
                                                     : "the host memory comes from here"});
    notes.push_back({where, remedy});
    findings.add({Severity::Error, code, std::move(text), where, std::move(notes)});
  };
  const auto vectors = std::ranges::find(holders, instrument::traceNameOf(*target.record),
                                         &instrument::SharedHolder::vectorsOf);
  const auto spans = std::ranges::find(holders, instrument::traceNameOf(*target.record),
                                       &instrument::SharedHolder::spansOf);
  for (const auto &[what, place] : group.unknownFlows) {
    const bool isOfThrust = what == instrument::kStorageOfThrust;
    if (isOfThrust && vectors != holders.end() && !vectors->obstacle.empty())
      refuse(Code::PointerEscapes,
             fmt::format("{} are not rewritten: {}", arrays, vectors->obstacle),
             vectors->obstaclePlace,
             "the Thrust vector is rewritten if the program only constructs, resizes and copies "
             "it, accesses single elements, and passes its pointer on; otherwise use cudaMalloc");
    else if (what == instrument::kPointerOfSpan && spans != holders.end() &&
             !spans->obstacle.empty())
      refuse(Code::PointerEscapes, fmt::format("{} are not rewritten: {}", arrays, spans->obstacle),
             spans->obstaclePlace,
             "spans are rewritten if all that may be one are made from device pointers, and the "
             "program does no more than to access elements and to take parts of them");
    else
      refuse(Code::PointerEscapes,
             fmt::format("{} are not rewritten: they may hold {}", arrays, what), place,
             isOfThrust ? "allocate the array by cudaMalloc: Thrust's vectors keep their layout"
             : what.starts_with("memory ") ? "allocate the array by cudaMalloc or cudaMallocManaged"
                                           : "keep device pointers in variables of their own type");
  }
  const instrument::Origins &origins = group.origins;
  const bool isAllocated = origins.device || origins.managed || origins.pinned || origins.ownShared;
  std::string reason;
  const char *remedy = "use separate pointers, and separate functions, for arrays that CUDA "
                       "allocates";
  if (origins.symbol)
    reason = "they may be a __device__, __managed__ or __constant__ variable";
  else if (origins.shared)
    reason = "they may lie in shared memory";
  else if (origins.deviceHeap) {
    reason = isAllocated ? "the same pointers serve memory that the host allocates and memory that "
                           "device code allocates by malloc or new"
                         : "device code allocates them by malloc or new";
    remedy = "allocate the array by cudaMalloc or cudaMallocManaged";
  } else if (origins.host && isAllocated)
    reason = "the same pointers serve memory that CUDA allocates and other host memory";
  else if (origins.host || origins.local)
    reason = "they may lie in host memory or on the stack";
  else if (isAllocated || !group.unknownFlows.empty())
    return; // CUDA's alone, or refused above for what they may hold
  else if (isOfDeviceAlone(group)) {
    reason = "no launch is seen that hands them over";
    remedy = "launch the kernel by <<<...>>>, or by a call that names it and, where it takes "
             "addresses, their array";
  } else
    reason = "no call of CUDA that allocates them is seen";
  refuse(Code::OtherMemory, fmt::format("{} are not rewritten: {}", arrays, reason), group.place,
         remedy);
}

} // namespace relayout::rewriter
