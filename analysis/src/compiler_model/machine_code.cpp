// SPDX-License-Identifier: Apache-2.0
// Finds kernels in ELF files, and loops in kernels.
#include "relayout/analysis/compiler_model/machine_code.h"

#include "compiler_model/kernel_name.h"
#include "relayout/base/demangled.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace relayout::analysis {
namespace {

using Kind = MachineInstruction::Kind;

// Where the encoding has what.
constexpr std::size_t kInstructionBytes = 16;
constexpr unsigned kSchedulingAt = 41; // of the upper word
constexpr unsigned kWidthAt = 9;       // of the upper word
constexpr std::uint64_t kAlways = 7;   // the predicate that is always true

// What an instruction does, without the bits that tell where its operands are.
constexpr unsigned kOperation = 0xff;
constexpr unsigned kForm = 0xf00;
constexpr unsigned kMemoryForm = 0x900;
constexpr unsigned kLoadGlobal = 0x981;
constexpr unsigned kStoreGlobal = 0x986;
constexpr unsigned kBranch = 0x947;
constexpr unsigned kExit = 0x94d;
constexpr unsigned kCallRelative = 0x944;
constexpr unsigned kCallAbsolute = 0x943;
constexpr unsigned kSpecial = 0x08;

struct Word128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  [[nodiscard]] unsigned code() const { return static_cast<unsigned>(low & 0xfff); }
  [[nodiscard]] bool isConditional() const { return (low >> 12 & 0xf) != kAlways; }
  [[nodiscard]] std::uint8_t destination() const { return low >> 16 & 0xff; }
  [[nodiscard]] std::uint8_t address() const { return low >> 24 & 0xff; }
};

Kind kindOf(const Word128 &word) {
  const unsigned code = word.code();
  if (code == kLoadGlobal)
    return Kind::GlobalLoad;
  if ((code & kForm) == kMemoryForm)
    return Kind::Other;
  switch (code & kOperation) {
  case 0x20: // multiply
  case 0x21: // add
  case 0x23: // both
    return Kind::Float;
  case 0x28:
  case 0x29:
  case 0x2b:
    return Kind::Double;
  case kSpecial:
    return Kind::Special;
  default:
    return Kind::Other;
  }
}

/// Bytes of a lane, by the code of the width: 8 bits with and without a sign, 16, 32, 64, 128.
std::uint8_t loadedBytes(const Word128 &word) {
  constexpr std::uint8_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  return kBytes[word.high >> kWidthAt & 7];
}

std::int32_t loadOffset(const Word128 &word) {
  const auto field = static_cast<std::int32_t>(word.low >> 40 & 0xffffff);
  return field >= 1 << 23 ? field - (1 << 24) : field;
}

/// The instruction that a branch leads to.
std::int64_t targetOf(const Word128 &word, std::size_t at) {
  const std::uint64_t field =
      (word.low >> 16 & 0xff) | (word.low >> 34) << 8 | (word.high & 0x3ffff) << 38;
  // 56 bits, in units of four bytes behind the branch.
  const std::int64_t distance = static_cast<std::int64_t>(field << 8) >> 8;
  return static_cast<std::int64_t>(at) + 1 +
         distance * 4 / static_cast<std::int64_t>(kInstructionBytes);
}

MachineInstruction instructionOf(const Word128 &word) {
  const std::uint64_t scheduling = word.high >> kSchedulingAt;
  MachineInstruction instruction;
  instruction.kind = kindOf(word);
  instruction.isConditional = word.isConditional();
  instruction.pause = scheduling & 0xf;
  instruction.countsResult = scheduling >> 5 & 7;
  instruction.countsRead = scheduling >> 8 & 7;
  instruction.waits = scheduling >> 11 & 0x3f;
  if (instruction.kind == Kind::GlobalLoad) {
    instruction.bytes = loadedBytes(word);
    instruction.offset = loadOffset(word);
  }
  return instruction;
}

using Listing = std::vector<Word128>;

/// What may be executed after an instruction.
std::vector<std::size_t> successors(const Listing &code, std::size_t at) {
  std::vector<std::size_t> next;
  const unsigned what = code[at].code();
  if (what == kBranch)
    if (const std::int64_t target = targetOf(code[at], at);
        target >= 0 && target < static_cast<std::int64_t>(code.size()))
      next.push_back(static_cast<std::size_t>(target));
  const bool goesOn = (what != kBranch && what != kExit) || code[at].isConditional();
  if (goesOn && at + 1 < code.size())
    next.push_back(at + 1);
  return next;
}

/// Which instructions are reached from the first one without passing a given one.
std::vector<bool> reachedWithout(const Listing &code, std::size_t blocked) {
  std::vector<bool> reached(code.size());
  std::vector<std::size_t> open;
  if (blocked != 0)
    open.push_back(0);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (reached[at])
      continue;
    reached[at] = true;
    for (const std::size_t next : successors(code, at))
      if (next != blocked)
        open.push_back(next);
  }
  return reached;
}

using Range = std::pair<std::size_t, std::size_t>; // from the first to the last

/// Loops whose code is in one piece, entered at the first instruction alone.
std::vector<Range> innermostLoops(const Listing &code) {
  std::vector<Range> loops;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].code() != kBranch)
      continue;
    const std::int64_t target = targetOf(code[at], at);
    if (target < 0 || target >= static_cast<std::int64_t>(at))
      continue;
    const auto first = static_cast<std::size_t>(target);
    if (!reachedWithout(code, first)[at])
      loops.emplace_back(first, at);
  }
  std::vector<Range> innermost;
  for (const Range &loop : loops)
    if (std::ranges::none_of(loops, [&loop](const Range &other) {
          return other != loop && loop.first <= other.first && other.second <= loop.second;
        }))
      innermost.push_back(loop);
  return innermost;
}

bool callsIn(const Listing &code, std::size_t first, std::size_t end) {
  return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(first),
                     code.begin() + static_cast<std::ptrdiff_t>(end), [](const Word128 &word) {
                       return word.code() == kCallRelative || word.code() == kCallAbsolute;
                     });
}

MachineLoop loopOf(const Listing &code, const Range &range) {
  MachineLoop loop;
  std::map<std::uint8_t, std::size_t> written; // where, by register
  std::map<std::pair<std::uint8_t, std::size_t>, std::uint32_t> bases;
  for (std::size_t at = range.first; at <= range.second; ++at) {
    const Word128 &word = code[at];
    loop.body.push_back(instructionOf(word));
    if (word.code() == kBranch) {
      const std::int64_t target = targetOf(word, at);
      if (target > static_cast<std::int64_t>(at) &&
          target <= static_cast<std::int64_t>(range.second) &&
          callsIn(code, at, static_cast<std::size_t>(target)))
        at = static_cast<std::size_t>(target) - 1;
      continue;
    }
    if (loop.body.back().kind == Kind::GlobalLoad) {
      const auto value = std::pair(word.address(), written[word.address()]);
      loop.body.back().base =
          bases.try_emplace(value, static_cast<std::uint32_t>(bases.size())).first->second;
    }
    if (word.code() != kStoreGlobal)
      written[word.destination()] = at + 1;
  }
  return loop;
}

MachineKernel kernelOf(const Listing &code) {
  MachineKernel kernel;
  std::map<std::size_t, std::size_t> loops; // all ways back to one instruction are one loop's
  for (std::size_t at = 0; at < code.size(); ++at) {
    kernel.code.push_back(instructionOf(code[at]));
    const bool isConditional = code[at].isConditional();
    if (code[at].code() == kExit && !isConditional)
      kernel.ends.push_back(at);
    if (code[at].code() != kBranch)
      continue;
    const std::int64_t target = targetOf(code[at], at);
    if (target >= 0 && target < static_cast<std::int64_t>(at))
      loops[static_cast<std::size_t>(target)] = at;
    else if (!isConditional && target > static_cast<std::int64_t>(at) &&
             target < static_cast<std::int64_t>(code.size()))
      kernel.jumps.emplace(at, target);
  }
  kernel.loops.assign(loops.begin(), loops.end());
  return kernel;
}

/// A table of an ELF file: its entries as far as they lie in the file.
template <class Entry> std::optional<Entry> entryAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Entry))
    return std::nullopt;
  Entry entry;
  std::memcpy(&entry, file.data() + offset, sizeof(Entry));
  return entry;
}

std::string_view part(std::string_view file, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= file.size() && bytes <= file.size() - offset ? file.substr(offset, bytes)
                                                                : std::string_view{};
}

Listing codeIn(std::string_view text) {
  Listing code(text.size() / kInstructionBytes);
  std::memcpy(code.data(), text.data(), code.size() * kInstructionBytes);
  return code;
}

/// Mangled names and code of the kernels of a cubin.
std::vector<std::pair<std::string, Listing>> kernelsOf(std::string_view cubin) {
  std::vector<std::pair<std::string, Listing>> kernels;
  const auto header = entryAt<Elf64_Ehdr>(cubin, 0);
  if (!header)
    return kernels;
  const auto section = [&](std::uint64_t number) {
    return entryAt<Elf64_Shdr>(cubin, header->e_shoff + number * header->e_shentsize);
  };
  const auto names = section(header->e_shstrndx);
  for (std::uint64_t i = 0; names && i < header->e_shnum; ++i) {
    const auto known = section(i);
    if (!known || known->sh_type != SHT_PROGBITS)
      continue;
    const std::string_view rest = part(cubin, names->sh_offset, names->sh_size);
    if (known->sh_name >= rest.size())
      continue;
    const std::string_view name =
        rest.substr(known->sh_name, rest.find('\0', known->sh_name) - known->sh_name);
    constexpr std::string_view kText = ".text.";
    if (name.starts_with(kText))
      kernels.emplace_back(name.substr(kText.size()),
                           codeIn(part(cubin, known->sh_offset, known->sh_size)));
  }
  return kernels;
}

/// Whether the file is a cubin whose encoding is known.
bool isKnownCubin(std::string_view file) {
  constexpr Elf64_Half kCuda = 190; // EM_CUDA
  constexpr unsigned kVolta = 70;
  constexpr unsigned kHopper = 90;
  constexpr unsigned kAbiOfCuda13 = 8;
  const auto header = entryAt<Elf64_Ehdr>(file, 0);
  if (!header || header->e_machine != kCuda)
    return false;
  const unsigned capability =
      (header->e_ident[EI_ABIVERSION] >= kAbiOfCuda13 ? header->e_flags >> 8 : header->e_flags) &
      0xff;
  return capability >= kVolta && capability <= kHopper;
}

/// The cubins in a file, itself included.
std::vector<std::string_view> cubinsIn(std::string_view object) {
  std::vector<std::string_view> cubins;
  for (std::size_t at = object.find(ELFMAG); at != std::string_view::npos;
       at = object.find(ELFMAG, at + 1))
    if (isKnownCubin(object.substr(at)))
      cubins.push_back(object.substr(at));
  return cubins;
}

/// What is read of each kernel; nothing of a template's instantiations where there are several.
template <class Part, class Read>
std::map<std::string, Part> ofKernels(std::string_view object, const Read &read) {
  std::map<std::string, Part> parts;
  std::set<std::string> ambiguous;
  for (const std::string_view cubin : cubinsIn(object))
    for (const auto &[mangled, code] : kernelsOf(cubin)) {
      const auto [known, isNew] = parts.try_emplace(nameInTrace(demangled(mangled)));
      if (isNew)
        known->second = read(code);
      else
        ambiguous.insert(known->first);
    }
  std::erase_if(parts, [&](const auto &kernel) { return ambiguous.contains(kernel.first); });
  return parts;
}

} // namespace

std::uint64_t MachineLoop::count(Kind kind) const {
  return static_cast<std::uint64_t>(std::ranges::count(body, kind, &MachineInstruction::kind));
}

std::uint64_t MachineLoop::loadedBytes() const {
  std::uint64_t bytes = 0;
  for (const MachineInstruction &instruction : body)
    bytes += instruction.bytes;
  return bytes;
}

std::map<std::string, MachineKernel> machineKernels(std::string_view object) {
  return ofKernels<MachineKernel>(object, kernelOf);
}

std::map<std::string, std::vector<MachineLoop>> machineLoops(std::string_view object) {
  auto loops = ofKernels<std::vector<MachineLoop>>(object, [](const Listing &code) {
    std::vector<MachineLoop> found;
    for (const Range &range : innermostLoops(code))
      if (MachineLoop loop = loopOf(code, range); loop.count(Kind::GlobalLoad) != 0)
        found.push_back(std::move(loop));
    return found;
  });
  std::erase_if(loops, [](const auto &kernel) { return kernel.second.empty(); });
  return loops;
}

} // namespace relayout::analysis
