// SPDX-License-Identifier: Apache-2.0
// Puts the class in front of what names the vectors' type first, and its name where the type's is.
#include "structs/own_vectors.h"

#include "model/vector_uses.h"
#include "relayout/base/name_words.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"
#include "structs/library_class.h"
#include "structs/name_text.h"
#include "structs/split_text.h"
#include "structs/vector_class.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace relayout::instrument {
namespace {

constexpr const char *kPolicy = "thrust::device, ";

/// The vectors of one record throughout the program.
struct Vectors {
  std::vector<std::pair<ParsedUnit *, VectorUses>> uses;

  [[nodiscard]] const clang::CXXRecordDecl &element() const { return *uses.front().second.element; }
  [[nodiscard]] bool havePointers() const {
    return std::ranges::any_of(uses, [](const auto &own) { return own.second.hasRawPointer; });
  }
};

/// New elements are the record's value-initialised ones.
bool startsWithZeros(const clang::CXXRecordDecl &record) {
  const auto isOfNumbers = [](const clang::FieldDecl *field) {
    const clang::Type *type = field->getType()->getBaseElementTypeUnsafe();
    const clang::CXXRecordDecl *inner = type->getAsCXXRecordDecl();
    return !type->isMemberPointerType() &&
           (!inner || !inner->getDefinition() || startsWithZeros(*inner->getDefinition()));
  };
  return record.hasTrivialDefaultConstructor() &&
         std::ranges::all_of(record.fields(), isOfNumbers) &&
         std::ranges::all_of(record.bases(), [](const clang::CXXBaseSpecifier &base) {
           const clang::CXXRecordDecl *own = base.getType()->getAsCXXRecordDecl();
           return own && own->getDefinition() && startsWithZeros(*own->getDefinition());
         });
}

/// Whether a text that is not parsed names `device_vector<R>`, or one of what may be R.
bool hasVectorOf(std::string_view record, const std::string &text) {
  record.remove_prefix(record.rfind(':') + 1); // in a class, it needs no more than its name
  static constexpr std::string_view kVector = "device_vector";
  for (std::size_t at = text.find(kVector); at != std::string::npos;
       at = text.find(kVector, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + kVector.size());
    if (next == std::string::npos || text[next] != '<')
      continue;
    const auto end = endOfArguments(text, static_cast<unsigned>(at));
    if (!end || containsWord(std::string_view(text).substr(at, *end - at), record))
      return true;
  }
  return false;
}

/// Whether a comma in the text may separate arguments of a macro that the text is written for.
bool hasOuterComma(std::string_view text) {
  int depth = 0;
  return std::ranges::any_of(text, [&](char c) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    return c == ',' && depth <= 0;
  });
}

/// Why another class cannot hold such records.
std::string obstacleOf(const clang::CXXRecordDecl &record) {
  std::string obstacle = obstacleToNaming(record);
  if (obstacle.empty() && !record.isTriviallyCopyable())
    obstacle = "their record's copies are made by functions";
  return obstacle;
}

class OwnVectors {
public:
  OwnVectors(const std::vector<ParsedUnit *> &units, const Vectors &vectors)
      : units_(units), vectors_(vectors), record_(vectors.element()) {
    name_ = joinedWords(wordsOf(ownNameOf(record_))) + "DeviceVector";
    const std::string wanted = name_;
    for (int number = 2; isNameIn(units_, name_); ++number)
      name_ = wanted + std::to_string(number);
  }

  [[nodiscard]] const std::string &name() const { return name_; }

  /// Edits the text, or says why it stays.
  SharedHolder write(SplitText &text) {
    SharedHolder holder;
    holder.name = name_;
    holder.vectorsOf = traceNameOf(record_);
    holder.place = firstPlace();
    holder.hasDevicePointers = std::ranges::any_of(
        vectors_.uses, [](const auto &own) { return own.second.hasDevicePointer; });
    holder.obstaclePlace = holder.place;
    holder.obstacle = obstacleOf(record_);
    for (const auto &[own, uses] : vectors_.uses)
      if (holder.obstacle.empty() && !uses.obstacle.empty()) {
        holder.obstacle = uses.obstacle;
        holder.obstaclePlace = own->place(uses.obstaclePlace);
      }
    if (holder.obstacle.empty())
      holder.obstacle = obstacleAround();
    if (holder.obstacle.empty())
      holder.obstacle = addEdits(text, holder.obstaclePlace);
    if (holder.obstacle.empty()) {
      holder.deviceName = name_;
      holder.obstaclePlace = holder.place;
    }
    return holder;
  }

private:
  struct VectorReplacement {
    TypePlace begin;
    unsigned end = 0;
    std::string text;
  };

  /// Where one of them is named first, or shows that it has to be Thrust's.
  SourcePlace firstPlace() const {
    for (const auto &[unit, uses] : vectors_.uses)
      for (const auto *names : {&uses.mentions, &uses.pointerMentions})
        if (!names->empty())
          return unit->place(names->front());
    for (const auto &[unit, uses] : vectors_.uses)
      if (!uses.edits.empty())
        return unit->place(uses.edits.front().range.getBegin());
    const auto &[unit, uses] = vectors_.uses.front();
    return unit->place(uses.obstaclePlace);
  }

  /// What is not read keeps the type.
  std::string obstacleAround() const {
    for (const auto &[unit, uses] : vectors_.uses) {
      if (!unit->ast().getLangOpts().CUDA)
        return "a host C++ unit has Thrust vectors of them";
      for (const clang::SourceRange &range : unit->skippedRanges())
        if (hasVectorOf(ownNameOf(record_),
                        clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(range),
                                                    unit->sources(), unit->ast().getLangOpts())
                            .str()))
          return "text that this build leaves out has Thrust vectors of them";
    }
    return {};
  }

  /// \param where  receives the place of what cannot be edited
  /// \returns  why the text cannot be edited
  std::string addEdits(SplitText &text, SourcePlace &where) {
    std::vector<VectorReplacement> replacements;
    std::set<std::pair<TypePlace, std::string>> classes;
    std::map<ParsedUnit *, TypePlace> placeOf;
    for (const auto &[unit, uses] : vectors_.uses) {
      if (uses.mentions.empty() && uses.parts.empty())
        continue; // pointers alone
      if (uses.mentions.empty())
        return "their Thrust vectors' type is not written out";
      const clang::Decl &first = *uses.mentioning.front();
      where = unit->place(uses.mentions.front());
      const auto begin = filePlace(*unit, first.getBeginLoc());
      if (!begin)
        return "the Thrust vector that holds them is named in a macro";
      if (record_.getLocation().isValid() && !isVectorType(record_) &&
          !unit->sources().isBeforeInTranslationUnit(uses.element->getBraceRange().getEnd(),
                                                     first.getBeginLoc()))
        return "a Thrust vector of them is named before their record is defined";
      namespaces_ = spacesAround(first);
      const unsigned line = beginOfLines(text.textOf(begin->path), begin->offset);
      placeOf[unit] = {begin->path, line};
      classes.insert({placeOf[unit], fmt::format("{}", fmt::join(namespaces_, "::"))});
    }
    const bool isBesideRecord = !haveOneClassEach(placeOf);
    if (isBesideRecord) {
      const auto home = behindRecord(text);
      if (!home)
        return "several files of one unit name a Thrust vector of them first";
      namespaces_ = spacesAround(record_);
      classes = {{*home, {}}};
    }
    if (std::ranges::any_of(
            classes, [&](const auto &other) { return other.second != classes.begin()->second; }))
      return "several namespaces have Thrust vectors of them";
    for (const auto &[unit, uses] : vectors_.uses) {
      for (std::size_t i = 0; i < uses.mentions.size(); ++i) {
        const auto mention = mentionOf(*unit, uses.mentions[i], *uses.mentioning[i], text);
        where = unit->place(uses.mentions[i]);
        if (!mention)
          return "the Thrust vector that holds them is named in a macro, or by an expression";
        replacements.push_back(*mention);
      }
      for (const clang::SourceLocation name : uses.pointerMentions) {
        const auto pointer = pointerOf(*unit, name, text);
        where = unit->place(name);
        if (!pointer)
          return "a thrust::device_ptr to them is named in a macro, or by an expression";
        replacements.push_back(*pointer);
      }
      for (const VectorEdit &edit : uses.edits) {
        const auto replacement = replacementOf(*unit, edit, text);
        where = unit->place(edit.range.getBegin());
        if (!replacement)
          return "the Thrust vector that holds them is used in a macro";
        replacements.push_back(*replacement);
      }
    }
    for (const VectorReplacement &replaced : replacements)
      text.replace(replaced.begin.path, replaced.begin.offset, replaced.end, replaced.text);
    for (const auto &[unit, uses] : vectors_.uses)
      if (uses.namesPolicy)
        includePolicies(text, replacements);
    const std::string own = textOf(described());
    static constexpr const char *kHostVector = "thrust/host_vector.h";
    const bool lacksHostVector =
        own.find("thrust::host_vector") != std::string::npos && lacks(kHostVector);
    if (isBesideRecord)
      return addBesideRecord(text, classes.begin()->first, own);
    for (const auto &[place, space] : classes) {
      if (lacksHostVector)
        include(text, place.path, kHostVector);
      const std::string &file = text.textOf(place.path);
      const bool isBelowText = place.offset > 1 && file[place.offset - 2] != '\n';
      text.insert(place.path, place.offset, (isBelowText ? "\n" : "") + own,
                  lineAt(file, place.offset));
    }
    return {};
  }

  /// The next line, where all units that have vectors of it read the record from one header.
  [[nodiscard]] std::optional<TypePlace> behindRecord(const SplitText &text) const {
    std::set<TypePlace> places;
    for (const auto &[unit, uses] : vectors_.uses) {
      const clang::SourceLocation brace = uses.element->getBraceRange().getEnd();
      const auto place = brace.isValid() ? filePlace(*unit, brace) : std::nullopt;
      const auto end = place ? behindToken(*unit, brace, clang::tok::semi) : std::nullopt;
      const auto line = end ? nextLine(text.textOf(place->path), *end) : std::nullopt;
      if (!line)
        return std::nullopt;
      places.insert({place->path, *line});
    }
    return places.size() == 1 ? std::optional(*places.begin()) : std::nullopt;
  }

  /// Host C++ reads the record's header, too.
  std::string addBesideRecord(SplitText &text, const TypePlace &place, const std::string &own) {
    const bool isForHost = std::ranges::any_of(
        units_, [](ParsedUnit *unit) { return !unit->ast().getLangOpts().CUDA; });
    const std::string open = isForHost ? "#ifdef __CUDACC__\n" : "";
    const std::string close = isForHost ? "#endif // __CUDACC__\n" : "";
    const std::string &file = text.textOf(place.path);
    std::string headers;
    for (const char *header : {"thrust/device_vector.h", "thrust/host_vector.h"})
      if (file.find(fmt::format("<{}>", header)) == std::string::npos)
        headers += fmt::format("#include <{}>\n", header);
    const std::size_t first = file.find("#include");
    if (first == std::string::npos)
      return "several files of one unit name a Thrust vector of them first";
    if (!headers.empty())
      text.insert(place.path, static_cast<unsigned>(first), open + headers + close,
                  lineAt(file, static_cast<unsigned>(first)));
    text.insert(place.path, place.offset, "\n" + open + own + close, lineAt(file, place.offset));
    return {};
  }

  static void includePolicies(SplitText &text, const std::vector<VectorReplacement> &edits) {
    std::set<std::string> paths;
    for (const VectorReplacement &edit : edits)
      if (edit.text == kPolicy)
        paths.insert(edit.begin.path);
    for (const std::string &path : paths)
      include(text, path, "thrust/execution_policy.h");
  }

  /// In front of what a file includes of Thrust first; none needs it twice.
  static void include(SplitText &text, const std::string &path, const std::string &header) {
    const std::string &file = text.textOf(path);
    if (file.find('<' + header + '>') != std::string::npos)
      return;
    std::size_t at = file.find("#include <thrust/");
    if (at == std::string::npos)
      at = file.find("#include");
    if (at != std::string::npos)
      text.insert(path, static_cast<unsigned>(at), fmt::format("#include <{}>\n", header),
                  lineAt(file, static_cast<unsigned>(at)));
  }

  /// Some unit first names a vector where it has not read the header.
  [[nodiscard]] bool lacks(const std::string &header) const {
    return std::ranges::any_of(vectors_.uses, [&](const auto &own) {
      const auto &[unit, uses] = own;
      if (uses.mentioning.empty())
        return false;
      clang::SourceManager &sources = unit->sources();
      return std::none_of(sources.fileinfo_begin(), sources.fileinfo_end(), [&](const auto &entry) {
        if (!entry.first.getName().ends_with(header))
          return false;
        const clang::FileID file = sources.translateFile(entry.first);
        return file.isValid() &&
               sources.isBeforeInTranslationUnit(sources.getLocForStartOfFile(file),
                                                 sources.getExpansionLoc(uses.mentions.front()));
      });
    });
  }

  /// `R *` for `thrust::device_ptr<R>`.
  static std::optional<VectorReplacement> pointerOf(ParsedUnit &unit, clang::SourceLocation name,
                                                    const SplitText &text) {
    const auto place = filePlace(unit, name);
    if (!place)
      return std::nullopt;
    const std::string &file = text.textOf(place->path);
    const auto end = endOfArguments(file, place->offset);
    if (!end || file.compare(*end, 2, "::") == 0)
      return std::nullopt;
    const std::size_t open = file.find('<', place->offset);
    const bool isBeforeName =
        *end + 1 < file.size() && file[*end] == ' ' && isWordCharacter(file[*end + 1]);
    return VectorReplacement{{place->path, beginOfQualifiers(file, place->offset)},
                             *end + (isBeforeName ? 1 : 0),
                             file.substr(open + 1, *end - open - 2) + " *"};
  }

  VectorClass described() const {
    VectorClass described;
    if (isArgument_) // of a container, say
      described.parts.insert({VectorPart::Copies, {}});
    described.name = name_;
    const std::vector<std::string> home = spacesAround(record_);
    described.element =
        home == namespaces_ ? ownNameOf(record_) : nameInside(home, ownNameOf(record_));
    described.startsWithZeros = startsWithZeros(record_);
    for (const auto &[unit, uses] : vectors_.uses)
      described.parts.insert(uses.parts.begin(), uses.parts.end());
    return described;
  }

  std::optional<VectorReplacement> mentionOf(ParsedUnit &unit, clang::SourceLocation name,
                                             const clang::Decl &around, const SplitText &text) {
    const auto place = filePlace(unit, name);
    if (!place)
      return std::nullopt;
    const std::string &file = text.textOf(place->path);
    const auto end = endOfArguments(file, place->offset);
    if (!end || file.compare(*end, 2, "::") == 0)
      return std::nullopt;
    const std::size_t next = file.find_first_not_of(" \t\r\n", *end);
    isArgument_ |= next != std::string::npos && (file[next] == '>' || file[next] == ',');
    const std::vector<std::string> here = spacesAround(around);
    const bool isInside = here.size() >= namespaces_.size() &&
                          std::equal(namespaces_.begin(), namespaces_.end(), here.begin());
    return VectorReplacement{{place->path, beginOfQualifiers(file, place->offset)},
                             *end,
                             isInside ? name_ : nameInside(namespaces_, name_)};
  }

  std::optional<VectorReplacement> replacementOf(ParsedUnit &unit, const VectorEdit &edit,
                                                 const SplitText &text) const {
    const auto begin = writtenPlace(unit, edit.range.getBegin());
    const auto end = writtenPlace(unit, edit.range.getEnd());
    if (!begin || !end || begin->path != end->path || end->offset < begin->offset)
      return std::nullopt;
    const bool isArgument = edit.range.getBegin().isMacroID() || edit.range.getEnd().isMacroID();
    const clang::SourceManager &sources = unit.sources();
    const unsigned length =
        edit.range.isTokenRange()
            ? clang::Lexer::MeasureTokenLength(sources.getSpellingLoc(edit.range.getEnd()), sources,
                                               unit.ast().getLangOpts())
            : 0;
    if (isArgument && hasOuterComma(std::string_view(text.textOf(begin->path))
                                        .substr(begin->offset, end->offset - begin->offset)))
      return std::nullopt;
    std::string replacement = edit.text;
    if (const std::size_t name = replacement.find(kClassName); name != std::string::npos)
      replacement.replace(name, 1, nameInside(namespaces_, name_));
    return VectorReplacement{*begin, end->offset + length, std::move(replacement)};
  }

  const std::vector<ParsedUnit *> &units_;
  const Vectors &vectors_;
  const clang::CXXRecordDecl &record_;
  std::vector<std::string> namespaces_; ///< around the class
  std::string name_;
  bool isArgument_ = false; ///< the type is one of another template
};

} // namespace

SplitProgram ownVectors(const std::vector<ParsedUnit *> &units,
                        const std::vector<ArrayFlow> & /*flows*/,
                        const std::set<std::string> *only) {
  std::map<std::string, Vectors> byRecord;
  for (ParsedUnit *unit : units)
    for (auto &[element, uses] : vectorUses(*unit))
      byRecord[symbolOf(*unit, element)].uses.emplace_back(unit, std::move(uses));
  SplitProgram own;
  SplitText text(units);
  for (const auto &[symbol, vectors] : byRecord) {
    if (!vectors.havePointers())
      continue;
    OwnVectors written(units, vectors);
    if (!only || only->contains(written.name()))
      own.holders.push_back(written.write(text));
  }
  if (auto texts = text.texts())
    own.texts = std::move(*texts);
  return own;
}

} // namespace relayout::instrument
