// SPDX-License-Identifier: Apache-2.0
// Finds the fields that a function wrote, and writes their stores.
#include "rules/write_back.h"

#include "edits/words.h"
#include "legality/object_parts.h"
#include "relayout/instrument/clang/record_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace relayout::rewriter {
namespace {

/// A field's scalars and arrays, by their paths.
void addLeaves(const clang::FieldDecl &field, const std::string &outer,
               std::vector<std::string> &leaves) {
  const std::string path =
      outer.empty() ? field.getNameAsString() : outer + "." + field.getNameAsString();
  const clang::CXXRecordDecl *record = field.getType()->getAsCXXRecordDecl();
  if (!record || record->isUnion() || record->getNumBases() != 0 || record->field_empty())
    return leaves.push_back(path);
  for (const clang::FieldDecl *inner : record->fields())
    if (!inner->isUnnamedBitField())
      addLeaves(*inner, path, leaves);
}

/// All fields, those of runs of bit-fields by themselves.
std::vector<const clang::FieldDecl *> namedFields(const clang::CXXRecordDecl &record) {
  std::vector<const clang::FieldDecl *> fields;
  for (const clang::FieldDecl *placed : instrument::allFields(&record)) {
    const std::optional<instrument::BitFieldRun> run = instrument::bitFieldRun(*placed);
    if (!run)
      fields.push_back(placed);
    else
      std::ranges::copy_if(run->fields, std::back_inserter(fields),
                           std::not_fn(&clang::FieldDecl::isUnnamedBitField));
  }
  return fields;
}

/// Stores fields of a variable, those that are private from a struct of the same members.
std::string storedFields(const std::string &file, const std::string &line,
                         const ElementText &access, const WriteBack &back,
                         const std::string &variable, std::size_t number) {
  std::string text;
  std::string from = variable;
  if (back.isHidden) {
    from = freeName(file, "members", number);
    text = fmt::format("{}const auto {} = {}.membersOf({});", line, from, access.view, variable);
  }
  for (const clang::FieldDecl *field : back.fields)
    text += fmt::format("{}{}.{}({}){} = {}.{};", line, access.view,
                        instrument::nameOfField(*field), access.index,
                        instrument::bitFieldRun(*field) ? "." + field->getNameAsString() : "", from,
                        field->getNameAsString());
  return text;
}

using Paths = std::set<std::string>;

/// Of `union { … };` and `struct { … };`; null for members with a name.
const clang::RecordDecl *unnamedRecord(const clang::FieldDecl &field) {
  return field.isAnonymousStructOrUnion() ? field.getType()->getAsRecordDecl() : nullptr;
}

/// Bits of a struct that none of its members has, which a member beside it in a union may have.
bool hasPadding(const clang::FieldDecl &field) {
  const clang::RecordDecl *record = field.getType()->getAsRecordDecl();
  if (!record || record->isUnion())
    return false;
  const clang::ASTContext &context = field.getASTContext();
  std::uint64_t bits = 0;
  for (const clang::FieldDecl *member : record->fields())
    bits += hasPadding(*member) ? 0 : context.getTypeSize(member->getType());
  return bits != context.getTypeSize(field.getType());
}

/// Some part of what a field holds is among them; its members are named by themselves if it has no
/// name.
bool areUnder(const Paths &paths, const clang::FieldDecl &field) {
  if (const clang::RecordDecl *unnamed = unnamedRecord(field))
    return std::ranges::any_of(unnamed->fields(), [&](const clang::FieldDecl *member) {
      return areUnder(paths, *member);
    });
  const std::string name = field.getNameAsString();
  return std::ranges::any_of(
      paths, [&](const std::string &path) { return isUnder(path, name) || isUnder(name, path); });
}

/// The first leaf of a field that is not among them. Of a union without a name, a member as large
/// as it is stands for all.
std::optional<std::string> leafOutside(const Paths &paths, const clang::FieldDecl &field) {
  const clang::ASTContext &context = field.getASTContext();
  if (const clang::RecordDecl *unnamed = unnamedRecord(field)) {
    std::optional<std::string> outside;
    for (const clang::FieldDecl *member : unnamed->fields()) {
      std::optional<std::string> leaf = leafOutside(paths, *member);
      const bool isAll =
          context.getTypeSize(member->getType()) == context.getTypeSize(field.getType()) &&
          !hasPadding(*member);
      if (unnamed->isUnion() && isAll && !leaf)
        return std::nullopt;
      if (!outside && (leaf || unnamed->isUnion()))
        outside = leaf.value_or(member->getNameAsString());
    }
    return outside;
  }
  std::vector<std::string> leaves;
  addLeaves(field, {}, leaves);
  for (const std::string &leaf : leaves)
    if (std::ranges::none_of(paths, [&](const std::string &path) { return isUnder(leaf, path); }))
      return leaf;
  return std::nullopt;
}

} // namespace

WriteBack writeBackOf(const clang::CXXRecordDecl &record, const ElementEffects &effects,
                      const std::string &callee) {
  WriteBack back;
  for (const clang::FieldDecl *field : namedFields(record)) {
    if (!areUnder(effects.written, *field)) {
      back.isWhole = false;
      continue;
    }
    if (const auto leaf = leafOutside(effects.touched, *field))
      back.obstacle = fmt::format("'{}' does not always access '{}', which another thread may "
                                  "write meanwhile",
                                  callee, *leaf);
    back.fields.push_back(field);
  }
  for (const clang::FieldDecl *field : back.fields)
    if (!back.isWhole && field->isAnonymousStructOrUnion())
      back.obstacle = fmt::format("'{}' changes members that lie together, and not all of the "
                                  "element",
                                  callee);
    else if (!back.isWhole && field->getType()->isArrayType())
      back.obstacle = fmt::format("'{}' changes the array '{}' and not all of the element", callee,
                                  field->getNameAsString());
  back.isHidden = std::ranges::any_of(back.fields, [](const clang::FieldDecl *field) {
    return field->getAccess() != clang::AS_public;
  });
  return back;
}

LoadedElement loadedElement(Climb &climb, const ElementText &access, const WriteBack &back,
                            const std::string &file, const std::string &line, std::size_t number) {
  climb.noteStore();
  climb.need(ViewOperation::LoadMutable);
  if (back.isWhole)
    climb.need(ViewOperation::Store);
  else if (back.isHidden)
    climb.need(ViewOperation::MembersOf);
  const GeneratedNames &names = climb.target.names;
  const std::string name = freeName(file, "element", number);
  const std::string type = spelledFor(climb.target, climb.target.shape.name, climb.function);
  const bool isArrow = file.compare(access.range.end < 2 ? 0 : access.range.end - 2, 2, "->") == 0;
  LoadedElement loaded{
      name + (isArrow ? "." : ""),
      fmt::format("{} {} = {}.{}({});", type, name, access.view, names.load, access.index),
      {}};
  loaded.store = back.isWhole && !back.fields.empty()
                     ? fmt::format("{}{}.{}({}, {});", line, access.view, names.store,
                                   access.index.empty() ? "0" : access.index, name)
                     : storedFields(file, line, access, back, name, number);
  return loaded;
}

} // namespace relayout::rewriter
