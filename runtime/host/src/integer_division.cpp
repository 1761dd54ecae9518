// SPDX-License-Identifier: Apache-2.0
// Reads the x86-64 instruction that divided. Other processors raise no signal.
#include "integer_division.h"

#include <cstdint>
#include <ucontext.h>

namespace relayout::host {

#ifdef __x86_64__

namespace {

struct Division {
  unsigned bytes = 0;    ///< of the instruction; 0: it is no division
  unsigned bits = 32;    ///< of an operand
  bool isSigned = false; ///< idiv
};

/// Behind the ModRM byte: a SIB byte and a displacement.
unsigned bytesOfAddress(const std::uint8_t *modrm) {
  const unsigned mode = *modrm >> 6, base = *modrm & 7;
  if (mode == 3)
    return 0;
  const bool hasSib = base == 4;
  if (mode == 1)
    return hasSib + 1;
  const bool hasDisplacement = mode == 2 || base == 5 || (hasSib && (modrm[1] & 7) == 5);
  return hasSib + (hasDisplacement ? 4 : 0);
}

Division divisionAt(const std::uint8_t *code) {
  constexpr std::uint8_t kOperandSize = 0x66, kRex = 0x40, kRexOf64Bits = 0x08, kDivides = 0xf7;
  constexpr unsigned kDiv = 6, kIdiv = 7;
  const std::uint8_t *at = code;
  Division found;
  if (*at == kOperandSize) {
    found.bits = 16;
    ++at;
  }
  if ((*at & 0xf0) == kRex) {
    if ((*at & kRexOf64Bits) != 0)
      found.bits = 64;
    ++at;
  }
  const unsigned operation = at[1] >> 3 & 7;
  if (*at != kDivides || (operation != kDiv && operation != kIdiv))
    return {};
  found.isSigned = operation == kIdiv;
  found.bytes = static_cast<unsigned>(at - code) + 2 + bytesOfAddress(at + 1);
  return found;
}

} // namespace

bool finishDivision(void *context) {
  mcontext_t &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
  auto &registers = machine.gregs;
  const Division division = divisionAt(reinterpret_cast<const std::uint8_t *>(registers[REG_RIP]));
  if (division.bytes == 0)
    return false;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - division.bits);
  const std::uint64_t least = std::uint64_t{1} << (division.bits - 1);
  const auto low = static_cast<std::uint64_t>(registers[REG_RAX]) & all;
  const bool overflows = division.isSigned && low == least;
  const auto set = [&](greg_t &to, std::uint64_t value) { // the upper half goes, of 16 bits stays
    const std::uint64_t kept =
        division.bits == 16 ? static_cast<std::uint64_t>(to) & ~std::uint64_t{0xffff} : 0;
    to = static_cast<greg_t>(kept | value);
  };
  set(registers[REG_RAX], overflows ? least : all);
  set(registers[REG_RDX], overflows ? 0 : all);
  registers[REG_RIP] += division.bytes;
  return true;
}

#else

bool finishDivision(void *) { return false; }

#endif

} // namespace relayout::host
