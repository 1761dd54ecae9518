// SPDX-License-Identifier: Apache-2.0
// Reads one PTX instruction, and says it in C++ by the table of those that the executor runs.
#include "host/inline_ptx.h"

#include "relayout/instrument/clang/compatibility.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace relayout::instrument {
namespace {

using Row = std::pair<llvm::StringRef, llvm::StringRef>;

constexpr std::array kInstructions = {
#define PTX_INSTRUCTION(opcode, function) Row{opcode, #function},
#include "host/inline_ptx.def"
};
constexpr std::array kRegisters = {
#define PTX_REGISTER(name, value) Row{name, #value},
#include "host/inline_ptx.def"
};
constexpr std::array kTypes = {Row{"u8", "unsigned char"}, Row{"s8", "signed char"},
                               Row{"b8", "unsigned char"}, Row{"u16", "unsigned short"},
                               Row{"s16", "short"},        Row{"b16", "unsigned short"},
                               Row{"u32", "unsigned"},     Row{"s32", "int"},
                               Row{"b32", "unsigned"},     Row{"u64", "unsigned long long"},
                               Row{"s64", "long long"},    Row{"b64", "unsigned long long"},
                               Row{"f32", "float"},        Row{"f64", "double"}};

/// What says how memory is reached, or how a result is rounded that is exact here or nearly so.
constexpr llvm::StringRef kPassedOver[] = {
    "ftz", "approx", "full", "rn",  "global",  "volatile", "relaxed", "acquire", "release", "weak",
    "sc",  "gpu",    "sys",  "cta", "cluster", "ca",       "cg",      "cs",      "cv",      "lu",
    "wb",  "wt",     "nc",   "gl",  "acq_rel", "uni",      "L1",      "L2"};

llvm::StringRef valueOf(llvm::ArrayRef<Row> rows, llvm::StringRef key) {
  const auto *row = std::ranges::find(rows, key, &Row::first);
  return row == rows.end() ? llvm::StringRef() : row->second;
}

bool isPassedOver(llvm::StringRef part) {
  return std::ranges::find(kPassedOver, part) != std::end(kPassedOver) ||
         part.starts_with("L1::") || part.starts_with("L2::") ||
         (part.starts_with("::") && part.size() > 2);
}

/// An opcode without what is passed over.
struct Opcode {
  std::string base;
  llvm::StringRef type; ///< C++'s; empty: the instruction has none
};

Opcode opcodeOf(llvm::StringRef text) {
  Opcode opcode;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '.');
  for (const llvm::StringRef part : parts) {
    if (const llvm::StringRef type = valueOf(kTypes, part); !type.empty()) {
      if (opcode.base.starts_with("set.") && opcode.type.empty() && part.starts_with("f"))
        opcode.base += ".float"; // 1.0 for what is true
      opcode.type = type;
    } else if (!isPassedOver(part) && part != "v2" && part != "v4")
      opcode.base += (opcode.base.empty() ? "" : ".") + part.str();
  }
  return opcode;
}

class Operands {
public:
  explicit Operands(const std::vector<std::string> &names) : names_(names) {}

  /// The C++ arguments; `[%1+4]` is an address, `{%0, %1}` are several.
  std::optional<std::vector<std::string>> read(llvm::StringRef text) const {
    std::vector<std::string> arguments;
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, ',', -1, false);
    for (llvm::StringRef part : parts) {
      part = part.trim(" \t\n{}");
      const bool isAddress = part.consume_front("[");
      if (isAddress)
        part.consume_back("]");
      const auto [base, offset] = part.trim().split('+');
      const std::string argument = one(base.trim());
      if (argument.empty() || (!offset.empty() && !isAddress))
        return std::nullopt;
      arguments.push_back(offset.empty() ? argument
                                         : fmt::format("::relayout::host::ptx::at({}, {})",
                                                       argument, offset.trim().str()));
    }
    return arguments;
  }

private:
  std::string one(llvm::StringRef text) const {
    unsigned long long number = 0;
    if (!text.consume_front("%"))
      return text.getAsInteger(0, number) ? std::string() : text.str();
    if (text.consume_front("[") && text.consume_back("]")) {
      const auto name = std::ranges::find(names_, text.str());
      return name == names_.end() ? std::string() : named(name - names_.begin());
    }
    if (!text.getAsInteger(0, number))
      return number < names_.size() ? named(static_cast<long>(number)) : std::string();
    const llvm::StringRef value = valueOf(kRegisters, text);
    return value.empty() ? std::string() : fmt::format("({})", value.str());
  }

  static std::string named(long number) { return fmt::format("relayoutOperand{}", number); }

  const std::vector<std::string> &names_;
};

/// Without the second of two percent signs, which inline assembly needs.
std::string asPtxReadsIt(std::string text) {
  for (std::size_t at = text.find("%%"); at != std::string::npos; at = text.find("%%", at + 1))
    text.erase(at, 1);
  return text;
}

/// One instruction, without what ends it.
std::optional<std::string> callFor(llvm::StringRef instruction, const Operands &operands) {
  const std::size_t space = instruction.find_first_of(" \t\n[");
  const Opcode opcode = opcodeOf(instruction.take_front(space));
  const llvm::StringRef function = valueOf(kInstructions, opcode.base);
  const auto arguments =
      operands.read(space == llvm::StringRef::npos ? "" : instruction.drop_front(space));
  if (function.empty() || !arguments)
    return std::nullopt;
  return fmt::format("::relayout::host::ptx::{}<{}>({});", function.str(),
                     opcode.type.empty() ? "void" : opcode.type.str(), fmt::join(*arguments, ", "));
}

} // namespace

std::optional<std::string> statementOfPtx(const std::string &text,
                                          const std::vector<std::string> &names) {
  const std::string ptx = asPtxReadsIt(text);
  llvm::StringRef rest = llvm::StringRef(ptx).trim();
  if (rest.starts_with("{") && rest.ends_with("}"))
    rest = rest.drop_front().drop_back().trim();
  if (rest.contains("//"))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> instructions;
  rest.split(instructions, ';');
  std::string statements; // none: it orders the compiler's own accesses
  for (const llvm::StringRef instruction : instructions) {
    if (instruction.trim().empty())
      continue;
    const auto call = callFor(instruction.trim(), Operands(names));
    if (!call)
      return std::nullopt;
    statements += (statements.empty() ? "" : " ") + *call;
  }
  return statements;
}

std::string firstInstruction(const clang::GCCAsmStmt &assembly) {
  const std::string text = asPtxReadsIt(compatibility::textOf(assembly));
  const llvm::StringRef rest = llvm::StringRef(text).ltrim(" \t\n{");
  return rest.take_until([](char c) { return c == ';' || c == '\n' || c == ' ' || c == '\t'; })
      .str();
}

bool lowerAssembly(const clang::GCCAsmStmt &assembly, TokenEdits &edits) {
  std::vector<const clang::Expr *> operands;
  std::vector<std::string> names;
  for (unsigned i = 0; i < assembly.getNumOutputs(); ++i) {
    operands.push_back(assembly.getOutputExpr(i));
    names.push_back(assembly.getOutputName(i).str());
  }
  for (unsigned i = 0; i < assembly.getNumInputs(); ++i) {
    operands.push_back(assembly.getInputExpr(i));
    names.push_back(assembly.getInputName(i).str());
  }
  const auto first = edits.indexOf(assembly.getAsmLoc());
  const auto close = edits.indexOf(assembly.getRParenLoc());
  const auto statement = statementOfPtx(compatibility::textOf(assembly), names);
  if (!first || !close || !statement || assembly.isAsmGoto())
    return false;
  // Instructions read what they are given before any writes, where one variable is both.
  const bool isOne = llvm::StringRef(*statement).count(';') <= 1;
  std::string parameters;
  for (std::size_t i = 0; i < operands.size(); ++i)
    parameters += fmt::format("{}auto {}relayoutOperand{}", i == 0 ? "" : ", ",
                              isOne || i < assembly.getNumOutputs() ? "&&" : "", i);
  // The operands stay where they are, so that what is done to them is seen.
  std::string between = fmt::format("[&]({}) {{ {} }}(", parameters, *statement);
  TokenEdits::Index from = *first;
  for (const clang::Expr *operand : operands) {
    const auto begin = edits.indexOf(operand->getBeginLoc());
    const auto end = edits.indexOf(operand->getEndLoc());
    if (!begin || !end || *begin <= from)
      return false;
    edits.replace(from, *begin - 1, between);
    between = ", ";
    from = *end + 1;
  }
  edits.replace(from, *close, operands.empty() ? between + ")" : ")");
  return true;
}

} // namespace relayout::instrument
