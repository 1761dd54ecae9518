// SPDX-License-Identifier: Apache-2.0
// Copies a definition token by token, and splits declarations of both kinds of objects.
#include "structs/split_text.h"

#include "structs/name_text.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/Lex/Lexer.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// What stands on the line before the place.
std::string lineBefore(const std::string &text, unsigned offset) {
  const std::size_t line = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  return text.substr(begin, offset - begin);
}

struct WrittenRange {
  std::string path;
  unsigned begin = 0, end = 0;
};

/// Where an expression is written, be it as a macro's argument.
std::optional<WrittenRange> writtenRange(ParsedUnit &unit, const clang::Expr &expression) {
  const auto first = writtenPlace(unit, expression.getBeginLoc());
  const auto last = writtenPlace(unit, expression.getEndLoc());
  if (!first || !last || first->path != last->path)
    return std::nullopt;
  clang::SourceLocation token = expression.getEndLoc();
  while (token.isMacroID())
    token = unit.sources().getImmediateSpellingLoc(token);
  return WrittenRange{first->path, first->offset,
                      last->offset + clang::Lexer::MeasureTokenLength(token, unit.sources(),
                                                                      unit.ast().getLangOpts())};
}

bool isSpelledByPointers(std::string_view text) {
  constexpr std::string_view kConst = "const";
  while (!text.empty()) {
    if (text.starts_with(kConst)) {
      text.remove_prefix(kConst.size());
      continue;
    }
    if (std::string_view(" \t\r\n*&").find(text.front()) == std::string_view::npos)
      return false;
    text.remove_prefix(1);
  }
  return true;
}

std::string copyOf(const clang::FieldDecl &field, const std::set<std::string> &leftOut) {
  const std::string name = field.getNameAsString();
  if (leftOut.contains(name))
    return fmt::format("  to.{} = nullptr;\n", name);
  std::string loops, subscripts;
  clang::QualType type = field.getType();
  for (char index = 'i'; type->isArrayType(); ++index) {
    const auto *array = dyn_cast<clang::ConstantArrayType>(type->getAsArrayTypeUnsafe());
    if (!array)
      return {};
    loops += fmt::format("  for (int {0} = 0; {0} < {1}; ++{0})\n  ", index,
                         array->getSize().getZExtValue());
    subscripts += fmt::format("[{}]", index);
    type = array->getElementType();
  }
  if (type.isConstQualified() || type->isReferenceType())
    return {};
  return fmt::format("{0}  to.{1}{2} = from.{1}{2};\n", loops, name, subscripts);
}

} // namespace

unsigned lineAt(const std::string &text, unsigned offset) {
  return static_cast<unsigned>(std::count(text.begin(), text.begin() + offset, '\n')) + 1;
}

unsigned beginOfLines(const std::string &text, unsigned offset) {
  const auto beginOf = [&text](unsigned at) {
    while (at != 0 && text[at - 1] != '\n')
      --at;
    return at;
  };
  unsigned begin = beginOf(offset);
  while (begin != 0) {
    const unsigned above = beginOf(begin - 1);
    const std::size_t first = text.find_first_not_of(" \t", above);
    const bool isComment =
        first < begin && (text.compare(first, 2, "//") == 0 || text.compare(first, 2, "/*") == 0 ||
                          text[first] == '*');
    if (!isComment)
      break;
    begin = above;
  }
  return begin;
}

std::optional<unsigned> behindToken(ParsedUnit &unit, clang::SourceLocation last,
                                    clang::tok::TokenKind kind) {
  const auto next = clang::Lexer::findNextToken(last, unit.sources(), unit.ast().getLangOpts());
  if (!next || next->isNot(kind))
    return std::nullopt;
  const auto place = filePlace(unit, next->getLocation());
  return place ? std::optional(place->offset + next->getLength()) : std::nullopt;
}

std::optional<unsigned> nextLine(const std::string &text, unsigned offset) {
  std::size_t at = text.find_first_not_of(" \t\r", offset);
  if (at == std::string::npos)
    return std::nullopt;
  if (text.compare(at, 2, "//") == 0)
    at = text.find('\n', at);
  if (at == std::string::npos || text[at] != '\n')
    return std::nullopt;
  return static_cast<unsigned>(at + 1);
}

bool SplitText::containsInserted(const std::set<Edit> &edits, const std::string &name) {
  return std::ranges::any_of(edits,
                             [&](const Edit &edit) { return containsWord(edit.text, name); });
}

std::optional<TextRange> rangeOf(ParsedUnit &unit, const clang::FunctionDecl &function) {
  const clang::FunctionTemplateDecl *written = function.getDescribedFunctionTemplate();
  const auto placeOf = [&](clang::SourceLocation where) {
    return filePlace(unit, unit.sources().getExpansionLoc(where));
  };
  const auto begin = placeOf(written ? written->getBeginLoc() : function.getBeginLoc());
  const auto name = filePlace(unit, function.getLocation());
  const auto last = filePlace(unit, function.getEndLoc());
  if (!begin || !name || !last || begin->path != name->path || last->path != name->path)
    return std::nullopt;
  const bool hasBody = function.doesThisDeclarationHaveABody() && !function.isDefaulted();
  const std::optional<unsigned> end =
      hasBody ? last->offset + 1 : behindToken(unit, function.getEndLoc(), clang::tok::semi);
  if (!end)
    return std::nullopt;
  TextRange range{name->path, begin->offset, *end};
  for (const clang::Attr *attribute : function.attrs())
    if (!attribute->isImplicit() && !attribute->isInherited())
      // `__device__` is a macro of CUDA's, and may stand in one of the program's.
      if (const auto side = placeOf(attribute->getLocation()); side && side->path == range.path)
        range.begin = std::min(range.begin, side->offset);
  return range;
}

TextRange wholeLines(const std::string &text, const TextRange &range) {
  const auto next = nextLine(text, range.end);
  return next && lineBefore(text, range.begin).find_first_not_of(" \t") == std::string::npos
             ? TextRange{range.path, beginOfLines(text, range.begin), *next}
             : range;
}

std::string conversionText(const TwoTypes &types, const clang::CXXRecordDecl &record) {
  // What its copies, and objects by themselves, would do besides.
  if (!record.hasDefaultConstructor() || record.getNumBases() != 0 ||
      !record.isTriviallyCopyable() || record.hasUserProvidedDefaultConstructor())
    return {};
  std::string text = fmt::format("\n/// Without pointers to memory of the host.\n"
                                 "inline {0} {1}(const {2} &from) {{\n  {0} to;\n",
                                 types.deviceName, types.conversion, types.holder->name);
  for (const clang::FieldDecl *field : record.fields()) {
    if (field->isUnnamedBitField())
      continue;
    if (field->getDeclName().isEmpty() || field->getAccess() == clang::AS_private ||
        field->getAccess() == clang::AS_protected)
      return {};
    const std::string copy = copyOf(*field, types.leftOut);
    if (copy.empty())
      return {};
    text += copy;
  }
  return text + "  return to;\n}\n";
}

const std::string &SplitText::textOf(const std::string &path) const {
  if (files_.empty())
    for (const ParsedUnit *unit : units_)
      for (const SourceText &file : unit->userSources().files)
        files_.try_emplace(file.originalPath, file.text);
  return files_[path];
}

/// `Matrix a, d;` as declarations of their own.
/// \param begin  behind the type's name
/// \param end    receives the place behind the semicolon
std::optional<std::string> SplitText::declarationsOf(const TwoTypes &types,
                                                     std::vector<TypedDeclarator> declarators,
                                                     unsigned begin, const std::string &prefix,
                                                     unsigned &end) const {
  std::ranges::sort(declarators, {}, [](const TypedDeclarator &declarator) {
    return declarator.declaration->getLocation().getRawEncoding();
  });
  std::string text;
  std::optional<bool> before;
  for (std::size_t i = 0; i < declarators.size(); ++i) {
    ParsedUnit &unit = *declarators[i].unit;
    const clang::DeclaratorDecl &declared = *declarators[i].declaration;
    const bool isLast = i + 1 == declarators.size();
    const auto name = filePlace(unit, declared.getLocation());
    const auto behind =
        behindToken(unit, declared.getEndLoc(), isLast ? clang::tok::semi : clang::tok::comma);
    if (!declarators[i].standsAlone || !name || !behind ||
        declarators[i].unit != declarators[0].unit)
      return std::nullopt;
    const std::string &file = textOf(name->path);
    if (!isSpelledByPointers(std::string_view(file).substr(begin, name->offset - begin)))
      return std::nullopt;
    std::string own = file.substr(begin, *behind - 1 - begin);
    own.erase(0, std::min(own.find_first_not_of(" \t\r\n"), own.size()));
    const bool isDevice = types.isDevice(declarators[i].object);
    if (before == isDevice)
      text += ", ";
    else
      text += fmt::format("{}{}{} ", before ? ";\n" : "", prefix,
                          isDevice ? types.deviceName : types.holder->name);
    text += own;
    before = isDevice;
    begin = *behind;
  }
  end = begin;
  return text + ";";
}

std::string SplitText::addMention(const TwoTypes &types, const TypePlace &place,
                                  const TypeMention &mention, Edits &edits) const {
  const std::size_t device =
      static_cast<std::size_t>(std::ranges::count_if(mention.objects, types.isDevice));
  const bool isUse = mention.objects.empty();
  if (isUse ? !types.isDevice(fmt::format("{}@{}", place.path, place.offset)) : device == 0)
    return {};
  const std::string &file = textOf(place.path);
  const auto length = static_cast<unsigned>(
      std::ranges::find_if_not(file.begin() + place.offset, file.end(), isWordCharacter) -
      (file.begin() + place.offset));
  if (isUse || device == mention.objects.size()) {
    edits[place.path].insert({place.offset + length, place.offset + length, types.suffix, 0});
    return {};
  }
  const TypedDeclarator &first = mention.declarators.front();
  const auto begin = filePlace(*first.unit, first.declaration->getBeginLoc());
  if (!begin || begin->path != place.path || mention.declarators.size() != mention.objects.size())
    return "a declaration of both kinds of objects cannot be split";
  const std::string indentation = lineBefore(file, begin->offset);
  const std::string specifiers = file.substr(begin->offset, place.offset - begin->offset);
  const bool isAlone = indentation.find_first_not_of(" \t") == std::string::npos;
  unsigned end = 0;
  auto text = declarationsOf(types, mention.declarators, place.offset + length,
                             (isAlone ? indentation : " ") + specifiers, end);
  if (!text)
    return "a declaration of both kinds of objects cannot be split";
  text->erase(0, isAlone ? indentation.size() : 1);
  edits[place.path].insert({begin->offset, end, *text, 0});
  return {};
}

/// `S d = toSDevice(h);`, or an object of the second type whose bytes are copied.
std::string SplitText::addConversion(const TwoTypes &types, const ObjectCopy &copy,
                                     Edits &edits) const {
  ParsedUnit &unit = *copy.unit;
  const auto value = writtenRange(unit, *copy.value);
  const auto statement = filePlace(
      unit, unit.sources().getExpansionLoc(copy.block->body_begin()[copy.index]->getBeginLoc()));
  if (!value || (copy.call && (!statement || statement->path != value->path)))
    return "a copy of it stands in a macro";
  const std::string &file = textOf(value->path);
  std::set<Edit> &own = edits[value->path];
  if (!copy.call) {
    own.insert({value->begin, value->begin, types.conversion + "(", 0});
    own.insert({value->end, value->end, ")", 0});
    return {};
  }
  const std::string line = lineBefore(file, statement->offset);
  const bool isAlone = line.find_first_not_of(" \t") == std::string::npos;
  std::string plain = types.deviceName;
  plain.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(plain.front())));
  if (plain == types.deviceName)
    plain += "_copy";
  std::string name = plain;
  for (int number = 2; types.isKnownName(name) || containsInserted(own, name); ++number)
    name = plain + std::to_string(number);
  const std::string from = file.substr(value->begin, value->end - value->begin);
  const bool isAddress = from.starts_with('&');
  const bool isName = std::ranges::all_of(from, isWordCharacter);
  if (const auto *size =
          dyn_cast<clang::UnaryExprOrTypeTraitExpr>(copy.call->getArg(2)->IgnoreParenImpCasts());
      size && !size->isArgumentType()) { // `sizeof *h`
    const auto written = writtenRange(unit, *size);
    if (!written || written->path != value->path)
      return "a copy of it stands in a macro";
    own.insert({written->begin, written->end, fmt::format("sizeof({})", types.deviceName), 0});
  }
  own.insert({statement->offset, statement->offset,
              fmt::format("{} {} = {}({}{});{}", types.deviceName, name, types.conversion,
                          isAddress || isName ? (isAddress ? "" : "*") : "*(",
                          isAddress ? from.substr(1) : from + (isName ? "" : ")"),
                          isAlone ? "\n" + line : " "),
              0});
  own.insert({value->begin, value->end, "&" + name, 0});
  return {};
}

std::string SplitText::add(const TwoTypes &types, const StructObjects &objects) {
  Edits edits;
  std::string problem;
  for (const auto &[place, mention] : objects.mentions)
    if (problem.empty() && !mention.isDefinition)
      problem = addMention(types, place, mention, edits);
  for (const TypePlace &place : objects.usings) {
    const std::string &file = textOf(place.path);
    const unsigned begin = beginOfQualifiers(file, place.offset);
    const auto end = static_cast<unsigned>(place.offset + types.holder->name.size());
    edits[place.path].insert(
        {end, end,
         fmt::format(";\n{}using {}{}", spaceBefore(file, begin),
                     file.substr(begin, place.offset - begin), types.deviceName),
         0});
  }
  for (const ObjectCopy *copy : types.conversions)
    if (problem.empty())
      problem = addConversion(types, *copy, edits);
  if (problem.empty())
    problem = addDefinition(types, objects, edits);
  if (problem.empty())
    for (auto &[path, own] : edits)
      edits_[path].merge(own);
  return problem;
}

std::optional<std::vector<ReplacedText>> SplitText::texts() const {
  std::vector<ReplacedText> texts;
  for (const auto &[path, edits] : edits_) {
    const std::string &file = textOf(path);
    ReplacedText replaced{path, {}, {}};
    unsigned done = 0, line = 1;
    replaced.lines.push_back(1);
    const auto append = [&](std::string_view text, unsigned &at) {
      for (const char c : text)
        if (c == '\n')
          replaced.lines.push_back(++at);
      replaced.text += text;
    };
    for (const Edit &edit : edits) {
      if (edit.begin < done)
        return std::nullopt;
      append(std::string_view(file).substr(done, edit.begin - done), line);
      line = lineAt(file, edit.begin);
      if (edit.line != 0) {
        unsigned own = edit.line;
        if (replaced.text.ends_with('\n'))
          replaced.lines.back() = own;
        append(edit.text, own);
      } else {
        replaced.text += edit.text;
        replaced.lines.insert(replaced.lines.end(),
                              static_cast<std::size_t>(std::ranges::count(edit.text, '\n')), line);
      }
      line = lineAt(file, edit.end);
      if (replaced.text.ends_with('\n'))
        replaced.lines.back() = line;
      done = edit.end;
    }
    append(std::string_view(file).substr(done), line);
    texts.push_back(std::move(replaced));
  }
  return texts;
}

} // namespace relayout::instrument
