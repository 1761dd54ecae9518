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

} // namespace

WriteBack writeBackOf(const clang::CXXRecordDecl &record, const ElementEffects &effects,
                      const std::string &callee) {
  WriteBack back;
  for (const clang::FieldDecl *field : namedFields(record)) {
    const std::string name = field->getNameAsString();
    if (std::ranges::none_of(effects.written, [&](const std::string &written) {
          return isUnder(written, name) || isUnder(name, written);
        })) {
      back.isWhole = false;
      continue;
    }
    std::vector<std::string> leaves;
    addLeaves(*field, {}, leaves);
    for (const std::string &leaf : leaves)
      if (std::ranges::none_of(effects.touched,
                               [&](const std::string &touched) { return isUnder(leaf, touched); }))
        back.obstacle = fmt::format("'{}' does not always access '{}', which another thread may "
                                    "write meanwhile",
                                    callee, leaf);
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
