// SPDX-License-Identifier: Apache-2.0
// Finds the spans that lead to device memory, puts the classes in front of what names such a span
// first, and their names where the span's type is.
#include "structs/own_spans.h"

#include "model/span_types.h"
#include "relayout/base/name_words.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"
#include "structs/library_class.h"
#include "structs/name_text.h"
#include "structs/named_deleters.h"
#include "structs/span_class.h"
#include "structs/span_loops.h"
#include "structs/span_sides.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// The first token of a declaration, attributes and `template` included.
std::optional<TypePlace> firstTokenOf(ParsedUnit &unit, const clang::Decl &declaration) {
  const clang::SourceManager &sources = unit.sources();
  auto begin = filePlace(unit, sources.getExpansionLoc(declaration.getBeginLoc()));
  const clang::Decl *described = &declaration;
  if (const auto *function = dyn_cast<clang::FunctionDecl>(&declaration))
    if (const clang::FunctionTemplateDecl *around = function->getDescribedFunctionTemplate())
      described = around;
  for (const clang::Attr *attribute : described->attrs())
    if (const auto own = filePlace(unit, sources.getExpansionLoc(attribute->getLocation()));
        own && begin && own->path == begin->path)
      begin->offset = std::min(begin->offset, own->offset);
  return begin;
}

/// The spans of one record that lead to device memory.
class OwnSpans {
public:
  OwnSpans(const std::vector<ParsedUnit *> &units, const SpanSides &sides)
      : units_(units), sides_(sides), record_(*sides.uses().front().second.element) {
    const std::string wanted = joinedWords(wordsOf(ownNameOf(record_))) + "Span";
    span_.name = wanted;
    for (int number = 2;
         isNameIn(units_, span_.name) || isNameIn(units_, constSpanName(span_.name)); ++number)
      span_.name = wanted + std::to_string(number);
  }

  [[nodiscard]] const std::string &name() const { return span_.name; }

  /// Edits the text, or says why it stays.
  SharedHolder write(SplitText &text) {
    SharedHolder holder;
    holder.name = span_.name;
    holder.spansOf = traceNameOf(record_);
    holder.place = holder.obstaclePlace = sides_.place();
    holder.obstacle = obstacleToNaming(record_);
    if (holder.obstacle.empty() && sides_.obstacle()) {
      holder.obstacle = sides_.obstacle()->first;
      holder.obstaclePlace = sides_.obstacle()->second;
    }
    if (holder.obstacle.empty())
      holder.obstacle = describe(holder.obstaclePlace);
    if (holder.obstacle.empty())
      holder.obstacle = addEdits(text, holder.obstaclePlace);
    if (holder.obstacle.empty()) {
      holder.deviceName = constSpanName(span_.name);
      holder.obstaclePlace = holder.place;
    }
    return holder;
  }

private:
  /// Collects what the classes need.
  std::string describe(SourcePlace &where) {
    std::optional<bool> isOfCuda;
    for (const auto &[unit, uses] : sides_.uses()) {
      for (const clang::SourceRange &range : unit->skippedRanges()) {
        const llvm::StringRef skipped =
            clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(range),
                                        unit->sources(), unit->ast().getLangOpts());
        if (skipped.contains("span<") && skipped.contains(ownNameOf(record_)))
          return "text that this build leaves out has spans of them";
      }
      for (const SpanMention &mention : uses.mentions) {
        if (!sides_.isDevice(mention.object))
          continue;
        where = unit->place(mention.name);
        if (isOfCuda.value_or(mention.isOfCuda) != mention.isOfCuda)
          return "the program has std::spans and cuda::std::spans of them";
        isOfCuda = mention.isOfCuda;
        (mention.isConst ? span_.hasConst : span_.hasMutable) = true;
      }
      for (const SpanUses::UsedPart &used : uses.parts)
        if (sides_.isDevice(used.object))
          (used.isConst ? span_.constParts : span_.mutableParts).insert(used.part);
      for (const SpanLoop &loop : uses.loops)
        if (sides_.isDevice(loop.object))
          addPartsOf(loop);
    }
    if (!isOfCuda)
      return "their span's type is not written out";
    span_.library = *isOfCuda ? "cuda::std" : "std";
    return {};
  }

  void addPartsOf(const SpanLoop &loop) {
    const auto type = spanTypeOf(loop.loop->getRangeInit()->getType());
    std::set<SpanPart> &parts = type->isConst ? span_.constParts : span_.mutableParts;
    if (loop.isOfVariable)
      parts.insert({SpanPart::Size, SpanPart::Subscript});
    else
      parts.insert({SpanPart::Empty, SpanPart::Front, SpanPart::Subspan});
  }

  /// \param where  receives the place of what cannot be edited
  /// \returns  why the text cannot be edited
  std::string addEdits(SplitText &text, SourcePlace &where) {
    std::map<ParsedUnit *, TypePlace> placeOf;
    for (const auto &[unit, uses] : sides_.uses())
      if (const SpanMention *first = firstIn(*unit, uses)) {
        where = unit->place(first->name);
        const auto begin = firstTokenOf(*unit, *first->around);
        if (!begin)
          return "the span that holds them is named in a macro";
        if (!isVectorType(record_) &&
            !unit->sources().isBeforeInTranslationUnit(uses.element->getBraceRange().getEnd(),
                                                       first->around->getBeginLoc()))
          return "a span of them is named before their record is defined";
        const std::vector<std::string> spaces = spacesAround(*first->around);
        if (!placeOf.empty() && spaces != namespaces_)
          return "several namespaces have spans of them";
        namespaces_ = spaces;
        placeOf[unit] = {begin->path, beginOfLines(text.textOf(begin->path), begin->offset)};
      }
    if (!haveOneClassEach(placeOf))
      return "several files of one unit name a span of them first";
    std::vector<SpanEdit> edits;
    for (const auto &[unit, uses] : sides_.uses()) {
      for (const SpanMention &mention : uses.mentions) {
        where = unit->place(mention.name);
        if (sides_.isDevice(mention.object) && !rename(*unit, mention, text, edits))
          return "the span that holds them is named in a macro, or by an expression";
      }
      for (const SpanLoop &loop : uses.loops) {
        where = unit->place(loop.loop->getForLoc());
        if (sides_.isDevice(loop.object) && !addLoop(*unit, loop, text, edits))
          return "a loop in a macro, or with a declaration in front, visits their span";
      }
    }
    for (const SpanEdit &edit : edits)
      text.replace(edit.begin.path, edit.begin.offset, edit.end, edit.text);
    const std::vector<std::string> home = spacesAround(record_);
    span_.element = home == namespaces_ ? ownNameOf(record_) : nameInside(home, ownNameOf(record_));
    std::set<TypePlace> places;
    for (const auto &[unit, place] : placeOf)
      if (places.insert(place).second)
        text.insert(place.path, place.offset, textOf(span_),
                    lineAt(text.textOf(place.path), place.offset));
    return {};
  }

  /// The first name of a device span.
  [[nodiscard]] const SpanMention *firstIn(ParsedUnit &unit, const SpanUses &uses) const {
    const SpanMention *first = nullptr;
    for (const SpanMention &mention : uses.mentions)
      if (sides_.isDevice(mention.object) &&
          (!first ||
           unit.sources().isBeforeInTranslationUnit(unit.sources().getExpansionLoc(mention.name),
                                                    unit.sources().getExpansionLoc(first->name))))
        first = &mention;
    return first;
  }

  bool rename(ParsedUnit &unit, const SpanMention &mention, const SplitText &text,
              std::vector<SpanEdit> &edits) const {
    const auto place = filePlace(unit, mention.name);
    if (!place)
      return false;
    const std::string &file = text.textOf(place->path);
    const auto end = mention.hasArguments ? endOfArguments(file, place->offset)
                                          : std::optional(behind(unit, mention.name)->offset);
    if (!end || file.compare(*end, 2, "::") == 0)
      return false;
    const std::vector<std::string> here = spacesAround(*mention.around);
    const bool isInside = here.size() >= namespaces_.size() &&
                          std::equal(namespaces_.begin(), namespaces_.end(), here.begin());
    const std::string own = mention.isConst ? constSpanName(span_.name) : span_.name;
    edits.push_back({{place->path, beginOfQualifiers(file, place->offset)},
                     *end,
                     isInside ? own : nameInside(namespaces_, own)});
    return true;
  }

  const std::vector<ParsedUnit *> &units_;
  const SpanSides &sides_;
  const clang::CXXRecordDecl &record_;
  std::vector<std::string> namespaces_; ///< around the classes
  SpanClass span_;
};

} // namespace

SplitProgram ownSpans(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
                      const std::set<std::string> *only) {
  std::map<std::string, SpanSides> byRecord;
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const clang::CXXRecordDecl *element : recordsInSpans(units[u]->ast()))
      byRecord[symbolOf(*units[u], element)].add(*units[u], flows[u], *element);
  SplitProgram own;
  SplitText text(units);
  for (auto &[symbol, sides] : byRecord) {
    sides.decide(flows);
    if (!sides.hasDeviceSpans())
      continue;
    OwnSpans written(units, sides);
    if (!only || only->contains(written.name()))
      own.holders.push_back(written.write(text));
  }
  if (auto texts = text.texts())
    own.texts = std::move(*texts);
  return own;
}

} // namespace relayout::instrument
