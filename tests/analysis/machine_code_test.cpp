// SPDX-License-Identifier: Apache-2.0
// The compiler model: machine code is read from cubins as the GPU executes it.
#include "relayout/analysis/compiler_model/machine_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace relayout::analysis {
namespace {

using Kind = MachineInstruction::Kind;

/// 128 bits, as `cuobjdump -sass` shows them in two words.
struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

constexpr std::uint64_t kAlways = 7ull << 12;
constexpr std::uint64_t kNoScoreboards = 0x3full << 46; // neither of a result nor of operands
constexpr std::uint64_t kWord = 4ull << 9;              // the width of a load

std::uint64_t pause(std::uint64_t cycles) { return cycles << 41; }

Word exits() { return {0x94d | kAlways, kNoScoreboards | pause(5)}; }
Word adds(std::uint64_t destination) {
  return {0x221 | kAlways | destination << 16, kNoScoreboards | pause(4)};
}
Word loads(std::uint64_t destination, std::uint64_t address, std::uint64_t offset,
           std::uint64_t scoreboard) {
  return {0x981 | kAlways | destination << 16 | address << 24 | (offset & 0xffffff) << 40,
          kWord | pause(1) | scoreboard << 46 | 7ull << 49};
}
Word waits(Word word, std::uint64_t scoreboard) {
  word.high |= 1ull << (52 + scoreboard);
  return word;
}
Word calls() { return {0x944 | kAlways, kNoScoreboards | pause(5)}; }

/// \param distance  instructions behind the branch
Word branches(std::int64_t distance, bool isConditional = true) {
  const auto field = static_cast<std::uint64_t>(distance * 4);
  return {0x947 | (isConditional ? 0 : kAlways) | (field & 0xff) << 16 | (field >> 8) << 34,
          kNoScoreboards | pause(5) | (field >> 38 & 0x3ffff)};
}

/// An ELF file of kernels, as of CUDA 13.
std::string cubin(const std::vector<std::pair<std::string, std::vector<Word>>> &kernels,
                  unsigned capability = 90) {
  std::string names("\0", 1);
  std::string body;
  std::vector<Elf64_Shdr> sections(1);
  for (const auto &[name, code] : kernels) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    section.sh_size = code.size() * sizeof(Word);
    names += ".text." + name + '\0';
    body.append(reinterpret_cast<const char *>(code.data()), section.sh_size);
    sections.push_back(section);
  }
  Elf64_Shdr table{};
  table.sh_type = SHT_STRTAB;
  table.sh_offset = sizeof(Elf64_Ehdr) + body.size();
  table.sh_size = names.size();
  sections.push_back(table);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_ABIVERSION] = 8;
  header.e_machine = 190;
  header.e_flags = capability << 8;
  header.e_shoff = sizeof(Elf64_Ehdr) + body.size() + names.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string file(reinterpret_cast<const char *>(&header), sizeof header);
  file += body + names;
  file.append(reinterpret_cast<const char *>(sections.data()),
              sections.size() * sizeof(Elf64_Shdr));
  return file;
}

const std::vector<Word> kWalk = {adds(0),
                                 loads(8, 2, 0, 0),
                                 loads(9, 2, 0xfffffc, 1), // four bytes before
                                 waits(adds(10), 0),
                                 adds(2),
                                 loads(11, 2, 16, 0),
                                 branches(-6),
                                 exits()};

TEST(MachineCode, LoopsHaveTheirLoadsAndWhatTheyWaitFor) {
  const auto loops = machineLoops("host code, then" + cubin({{"_Z4walkPf", kWalk}}));
  ASSERT_EQ(loops.size(), 1u);
  const std::vector<MachineLoop> &known = loops.at("walk");
  ASSERT_EQ(known.size(), 1u);
  const std::vector<MachineInstruction> &body = known[0].body;
  ASSERT_EQ(body.size(), 6u);
  EXPECT_EQ(known[0].count(Kind::GlobalLoad), 3u);
  EXPECT_EQ(known[0].count(Kind::Float), 2u);
  EXPECT_EQ(known[0].loadedBytes(), 12u);
  EXPECT_EQ(body[0].pause, 1u);
  EXPECT_EQ(body[0].countsResult, 0u);
  EXPECT_EQ(body[1].countsResult, 1u);
  EXPECT_EQ(body[1].countsRead, MachineInstruction::kNoScoreboard);
  EXPECT_EQ(body[1].offset, -4);
  EXPECT_EQ(body[0].base, body[1].base);
  EXPECT_NE(body[0].base, body[4].base) << "the register was written in between";
  EXPECT_EQ(body[2].waits, 1u);
  EXPECT_EQ(body[2].pause, 4u);
  EXPECT_FALSE(body[2].isConditional);
  EXPECT_TRUE(body[5].isConditional) << "the branch back";
}

TEST(MachineCode, WhatIsJumpedOverToCallAFunctionIsLeftOut) {
  const auto loops = machineLoops(cubin({{"_Z4walkPf",
                                          {adds(0), loads(8, 2, 0, 0), branches(2), adds(1),
                                           calls(), adds(3), branches(-6), exits()}}}));
  ASSERT_EQ(loops.at("walk").size(), 1u);
  const MachineLoop &loop = loops.at("walk")[0];
  EXPECT_EQ(loop.body.size(), 4u) << "load, branch, add, branch";
  EXPECT_EQ(loop.count(Kind::Float), 1u);
}

TEST(MachineCode, CodeThatReturnsToALoopIsNone) {
  // The second branch back comes from behind the loop, which is entered at its first instruction.
  const auto loops =
      machineLoops(cubin({{"_Z4walkPf",
                           {adds(0), loads(8, 2, 0, 0), branches(3), adds(1), branches(-4), exits(),
                            adds(3), branches(-5, /*isConditional=*/false)}}}));
  ASSERT_EQ(loops.at("walk").size(), 1u);
  EXPECT_EQ(loops.at("walk")[0].body.size(), 4u);
}

TEST(MachineCode, OfTwoLoopsTheInnerOneCounts) {
  const auto loops = machineLoops(cubin({{"_Z4walkPf",
                                          {adds(0), loads(8, 2, 0, 0), loads(9, 2, 4, 0),
                                           branches(-2), adds(1), branches(-5), exits()}}}));
  ASSERT_EQ(loops.at("walk").size(), 1u);
  EXPECT_EQ(loops.at("walk")[0].body.size(), 2u);
}

TEST(MachineCode, AllWaysBackToOneInstructionAreOneLoop) {
  const auto kernels =
      machineKernels(cubin({{"_Z4walkPf",
                             {adds(0), loads(8, 2, 0, 0), branches(-2), adds(1), branches(-4),
                              branches(1, /*isConditional=*/false), adds(2), exits()}}}));
  const MachineKernel &kernel = kernels.at("walk");
  EXPECT_EQ(kernel.code.size(), 8u);
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_EQ(kernel.loops[0], std::pair(std::size_t{1}, std::size_t{4}));
  EXPECT_EQ(kernel.jumps, (std::map<std::size_t, std::size_t>{{5, 7}}));
  EXPECT_EQ(kernel.ends, std::vector<std::size_t>{7});
}

TEST(MachineCode, WhatIsNotKnownIsNotSaid) {
  EXPECT_TRUE(machineLoops("").empty());
  EXPECT_TRUE(machineLoops(std::string(ELFMAG, SELFMAG)).empty()) << "cut short";
  EXPECT_TRUE(machineLoops(cubin({{"_Z4walkPf", kWalk}}, 100)).empty()) << "another encoding";
  EXPECT_TRUE(machineLoops(cubin({{"_Z4walkPf", {adds(0), branches(-2), exits()}}})).empty())
      << "without a load";
  EXPECT_TRUE(machineLoops(cubin({{"_Z4walkIfEvPT_", kWalk}, {"_Z4walkIiEvPT_", kWalk}})).empty())
      << "instantiations of one template";
  const std::string whole = cubin({{"_Z4walkPf", kWalk}});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_LE(machineLoops(std::string_view(whole).substr(0, bytes)).size(), 1u);
}

} // namespace
} // namespace relayout::analysis
