// SPDX-License-Identifier: Apache-2.0
// What the generated headers of a program and their classes are called, and whether they may be.
#include "apply/header_names.h"

#include "apply/plan_match.h"
#include "legality/nested_records.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace relayout::rewriter {
namespace {

namespace fs = std::filesystem;

/// Tells records of one name apart.
std::string identityOf(const RecordShape &shape) {
  std::string text = qualifiedName(shape);
  for (const ShapeField &field : shape.fields)
    text += fmt::format("|{} {}[{}] {}", field.type + field.definition, field.name,
                        fmt::join(field.extents, "]["),
                        field.bytes); // the type may be a name that units define differently
  return text;
}

/// The names in a file's code, branches of `#if` included that this build leaves out.
std::set<std::string> identifiersIn(const std::string &text, const clang::LangOptions &language) {
  clang::Lexer lexer({}, language, text.data(), text.data(), text.data() + text.size());
  std::set<std::string> names;
  clang::Token token;
  for (bool isLast = false; !isLast;) {
    isLast = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::raw_identifier))
      names.insert(token.getRawIdentifier().str());
  }
  return names;
}

/// True for a name that is or was defined; `p[i].min` is no macro's invocation, `p.min(i)` is one.
bool isMacro(clang::Preprocessor &preprocessor, const std::string &name) {
  return preprocessor.getLocalMacroDirectiveHistory(preprocessor.getIdentifierInfo(name)) !=
         nullptr;
}

std::string viewInNamespace(const Target &target) {
  return fmt::format("{}::{}", fmt::join(target.shape.namespaces, "::"), target.names.view);
}

} // namespace

void HeaderNames::give(Units &units, const instrument::SourceSet &sources) {
  for (const auto &unit : units)
    for (const instrument::SourceText &file : sources.files) {
      taken_.merge(identifiersIn(file.text, unit->program.unit.ast().getLangOpts()));
      taken_.insert(fs::path(file.relativePath).filename().string());
    }
  for (const auto &unit : units)
    for (const auto &target : unit->targets) {
      std::vector<Kind> &kinds = kindsOf_[identityOf(target->shape)];
      if (std::ranges::find(kinds, viewOf(*target)) == kinds.end())
        kinds.push_back(viewOf(*target));
    }
  for (const auto &unit : units)
    for (const auto &target : unit->targets)
      name(*target);
  keepApart(units, [](const Target &target, instrument::ParsedUnit &) {
    return fileInNamespace(target.shape, target.names);
  });
  keepApart(units, [](const Target &target, instrument::ParsedUnit &unit) {
    const fs::path home = unit.place(target.record->getLocation()).file;
    const std::vector<std::string> &spaces = target.shape.namespaces;
    return std::ranges::find(spaces, "") == spaces.end()
               ? target.names.file
               : fmt::format("{}_{}", home.stem().string(), target.names.file);
  });
  countRecords(units);
}

void HeaderNames::countRecords(const Units &units) {
  recordsOf_.clear();
  for (const auto &unit : units)
    for (const auto &target : unit->targets)
      recordsOf_[target->names.file].insert(identityOf(target->shape));
}

/// Gives headers that different records would share other names.
template <class Name> void HeaderNames::keepApart(Units &units, Name name) {
  countRecords(units);
  for (const auto &unit : units)
    for (const auto &target : unit->targets)
      if (recordsOf_[target->names.file].size() > 1)
        target->names.file = name(*target, unit->program.unit);
}

std::string HeaderNames::wordFor(const Target &target) const {
  const std::vector<Kind> &kinds = kindsOf_.at(identityOf(target.shape));
  std::vector<std::string> words;
  for (const Kind &kind : kinds)
    words.push_back(kindOf(kind.layout) + (kind.rows.empty() ? "" : "Rows"));
  const auto own =
      static_cast<std::size_t>(std::ranges::find(kinds, viewOf(target)) - kinds.begin());
  const bool isShared = std::ranges::count(words, words[own]) > 1;
  return isShared ? words[own] + std::to_string(own + 1) : words[own];
}

void HeaderNames::name(Target &target) {
  const std::string word = wordFor(target);
  if (kindsOf_.at(identityOf(target.shape)).size() > 1)
    target.names = namesFor(target.shape, word);
  const auto isTaken = [&] {
    return isOfOther(target) || taken_.contains(target.names.file) ||
           (target.isInVariables && taken_.contains(target.names.array)) ||
           std::ranges::any_of(target.names.identifiers(target.layout),
                               [&](const std::string &name) { return taken_.contains(name); });
  };
  for (int next = 1; isTaken(); ++next)
    target.names = namesFor(target.shape, next == 1 ? word : word + std::to_string(next));
  recordOfView_.try_emplace(viewInNamespace(target), target.shape.name);
}

/// `Node` and `node`, whose views would have one name.
bool HeaderNames::isOfOther(const Target &target) const {
  const auto known = recordOfView_.find(viewInNamespace(target));
  return known != recordOfView_.end() && known->second != target.shape.name;
}

void HeaderNames::check(const Target &target, Program &program,
                        const instrument::SourceSet &sources) const {
  // Classes of one name and different members would be one for the linker.
  for (const std::string &other : recordsOf_.at(target.names.file))
    if (other != identityOf(target.shape))
      return program.findings.refuse(
          Code::NameTaken,
          fmt::format("another unit has a record '{}' with other fields, and views of both would "
                      "have one name",
                      target.shape.name),
          target.record->getLocation(), "rename one of them, or use an unnamed namespace");
  if (outermostClass(*target.record) && taken_.contains(target.shape.name))
    return program.findings.refuse(
        Code::NameTaken, fmt::format("the program already uses the name '{}'", target.shape.name),
        target.record->getLocation(), "rename it; the record moves out of its class");
  const Result<std::string> header = generateHeader(target.shape, target.layout, target.names);
  if (!header)
    return program.findings.refuse(header.error().code, header.error().text,
                                   target.record->getLocation(),
                                   "choose another layout, or leave the arrays as they are");
  for (const ShapeField &field : target.shape.fields)
    if (isMacro(program.unit.preprocessor(), field.name))
      return program.findings.refuse(
          Code::NameTaken,
          fmt::format("'{}' is a macro and a field of '{}', of which the view makes a function",
                      field.name, target.shape.name),
          target.record->getLocation(), "rename the one or the other");
  for (const instrument::SourceText &file : sources.files)
    if (fs::path(file.relativePath).filename() == target.names.file)
      return program.findings.refuse(
          Code::NameTaken, fmt::format("the program already has a file '{}'", target.names.file),
          target.record->getLocation(), "rename it");
}

} // namespace relayout::rewriter
