// SPDX-License-Identifier: Apache-2.0
// Finds fields that are called like members of the view, and renames those in the header's text.
#include "header/own_names.h"

#include "edits/words.h"
#include "header/iterator_code.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace relayout::rewriter {
namespace {

/// In front of a word that comes from the record.
constexpr char kMark = '\x01';

/// Members of views, in some layout.
constexpr std::string_view kMembers[] = {
    "placeOf",  "placesOf", "places",    "inTile",     "load",     "store", "fill",
    "copyFrom", "placeAt",  "members",   "allocation", "kTile",    "base_", "kTileBytes",
    "index_",   "highest_", "eachRange", "bytes_",     "kElements"};

/// Members that the header of all records calls.
constexpr std::string_view kOfTiles[] = {"tileWidth", "tileStride", "tileRows", "tilePlace"};

bool isMember(std::string_view name) {
  const bool isPlane = name.starts_with("plane") &&
                       (name.ends_with("_") || name.ends_with("At") || name.ends_with("Lane"));
  const bool isOfDigit =
      (name.starts_with("extent") || name.starts_with("pitch")) && name.ends_with("_");
  return isPlane || isOfDigit || std::ranges::count(kMembers, name) != 0;
}

bool hasField(const RecordShape &shape, const std::string &name) {
  return std::ranges::any_of(shape.fields,
                             [&](const ShapeField &field) { return field.name == name; });
}

} // namespace

std::string nameBesideFields(const std::string &name, const RecordShape &shape) {
  if (!hasField(shape, name))
    return name;
  std::string other = name == "load" || name == "store" ? name + "Element" : "view" + name;
  if (other.starts_with("view"))
    other[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(other[4])));
  const std::string wanted = other;
  for (int next = 2; hasField(shape, other); ++next)
    other = wanted + std::to_string(next);
  return other;
}

OwnNames::OwnNames(const RecordShape &shape, const GeneratedNames &names)
    : shape_(shape), names_(names) {
  for (const ShapeField &field : shape.fields)
    if (isMember(field.name))
      others_.emplace(field.name, nameBesideFields(field.name, shape));
}

std::optional<std::string> OwnNames::fieldInTheWay(const analysis::Layout &layout,
                                                   const HeaderParts &parts) const {
  const bool isIterator =
      parts.operations.count(ViewOperation::Iterate) || parts.ofConst.count(ViewOperation::Iterate);
  for (const ShapeField &field : shape_.fields)
    if (field.name == names_.view || field.name == names_.constView || field.name == shape_.name ||
        (isIterator && isIteratorMember(field.name)) ||
        (!layout.order.isAsNumbered() && std::ranges::count(kOfTiles, field.name) != 0))
      return field.name;
  return std::nullopt;
}

std::string OwnNames::marked(const std::string &text) const {
  return withWords(
      text, [&](const std::string &word) { return others_.contains(word) ? kMark + word : word; });
}

RecordShape OwnNames::marked(RecordShape shape) const {
  shape.name = marked(shape.name);
  for (std::string &space : shape.namespaces)
    space = marked(space);
  for (ShapeField &field : shape.fields)
    for (std::string *text : {&field.name, &field.type, &field.definition})
      *text = marked(*text);
  return shape;
}

HeaderParts OwnNames::marked(HeaderParts parts) const {
  std::set<std::string> addressed;
  for (const std::string &field : parts.addressed)
    addressed.insert(marked(field));
  parts.addressed = addressed;
  return parts;
}

std::string OwnNames::apart(const std::string &header) const {
  if (others_.empty())
    return header;
  bool isComment = false, isString = false;
  std::string before = " ";
  std::string result = withWords(header, [&](const std::string &word) {
    isComment = word != "\n" && (isComment || (word == "/" && before == "/"));
    isString ^= word == "\"" && !isComment;
    const auto other = others_.find(word);
    const bool isOwn = other != others_.end() && !isComment && !isString && before.front() != kMark;
    before = word;
    return isOwn ? other->second : word;
  });
  std::erase(result, kMark);
  return result;
}

} // namespace relayout::rewriter
