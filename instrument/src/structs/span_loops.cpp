// SPDX-License-Identifier: Apache-2.0
// Writes `for (std::size_t i = 0; i < particles.size(); ++i) { auto &p = particles[i]; … }`. What
// is no variable is named once: `for (auto rest = …; !rest.empty(); rest = rest.subspan(1))`.
#include "structs/span_loops.h"

#include "structs/name_text.h"
#include "structs/named_deleters.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace relayout::instrument {
namespace {

/// A name that the loop does not use.
std::string unusedName(const std::string &loop, std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (!containsWord(loop, name))
      return name;
  std::string name = *names.begin();
  for (int number = 2; containsWord(loop, name); ++number)
    name = *names.begin() + std::to_string(number);
  return name;
}

std::string withoutBlanks(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

} // namespace

bool addLoop(ParsedUnit &unit, const SpanLoop &loop, const SplitText &text,
             std::vector<SpanEdit> &edits) {
  const clang::CXXForRangeStmt &written = *loop.loop;
  if (written.getInit() || written.getCoawaitLoc().isValid())
    return false;
  const auto begin = filePlace(unit, written.getForLoc());
  const auto variable = filePlace(unit, written.getLoopVarStmt()->getBeginLoc());
  const auto colon = filePlace(unit, written.getColonLoc());
  const auto parenthesis = filePlace(unit, written.getRParenLoc());
  const clang::Stmt &body = *written.getBody();
  const auto bodyBegin = filePlace(unit, body.getBeginLoc());
  const auto bodyEnd = behind(unit, body.getEndLoc());
  if (!begin || !variable || !colon || !parenthesis || !bodyBegin || !bodyEnd ||
      bodyEnd->path != begin->path)
    return false;
  const std::string &file = text.textOf(begin->path);
  const std::string whole = file.substr(begin->offset, bodyEnd->offset - begin->offset);
  const std::string declared =
      withoutBlanks(file.substr(variable->offset, colon->offset - variable->offset));
  const std::string range =
      withoutBlanks(file.substr(colon->offset + 1, parenthesis->offset - colon->offset - 1));
  std::string head, element;
  if (loop.isOfVariable) {
    const std::string index = unusedName(whole, {"i", "j", "k", "index"});
    head = fmt::format("for (std::size_t {0} = 0; {0} < {1}.size(); ++{0}) {{", index, range);
    element = fmt::format("{} = {}[{}];", declared, range, index);
  } else {
    const std::string rest = unusedName(whole, {"rest"});
    head = fmt::format("for (auto {0} = {1}; !{0}.empty(); {0} = {0}.subspan(1)) {{", rest, range);
    element = fmt::format("{} = {}.front();", declared, rest);
  }
  const std::string indentation = "\n" + spaceBefore(file, begin->offset);
  if (clang::isa<clang::CompoundStmt>(body)) {
    edits.push_back({*begin, bodyBegin->offset + 1, head + indentation + "  " + element});
    return true;
  }
  auto end = behindToken(unit, body.getEndLoc(), clang::tok::semi);
  if (!end && file[bodyEnd->offset - 1] == '}')
    end = bodyEnd->offset;
  if (!end)
    return false;
  edits.push_back(
      {*begin, bodyBegin->offset, head + indentation + "  " + element + indentation + "  "});
  edits.push_back({{begin->path, *end}, *end, indentation + "}"});
  return true;
}

} // namespace relayout::instrument
