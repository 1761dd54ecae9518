// SPDX-License-Identifier: Apache-2.0
// Programs with GPU probes, run on the CPU executor: in both versions of every function, and in
// those that go over from one to the other, and with twins in place of kernels, a program computes
// what it computes without probes, and counts of each site the lanes that the executor's own probes
// count.
#include "lowered_program.h"

#include "relayout/instrument/gpu_probes.h"
#include "relayout/trace/reader.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>

namespace relayout::instrument {
namespace {

/// Lanes that executed each site, by id.
using Lanes = std::map<std::uint32_t, std::uint64_t>;

std::string textOf(const std::string &path) {
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  return read.str();
}

/// The program's own output, and what gpu_form/probes.h adds to it.
struct Counted {
  std::string output;
  Lanes lanes;
  int loopsApart = 0; ///< counted as a whole, and lanes make different numbers of turns
  std::vector<trace::Loop> loops = {};
};

Counted countedIn(const std::string &output) {
  Counted counted;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch site;
    if (std::regex_match(line, site, std::regex(R"(site (\d+) (\d+))")))
      counted.lanes[std::stoul(site[1])] = std::stoull(site[2]);
    else if (line.starts_with("apart "))
      ++counted.loopsApart;
    else
      counted.output += line + "\n";
  }
  return counted;
}

/// What the CPU executor's own probes count.
Counted counted(const ProgramText &program) {
  const std::string path = program.folder() + "/trace";
  Counted counted{runLowered(program, Probes::Trace, hostCompilers().front(),
                             "RELAYOUT_TRACE=" + path + " RELAYOUT_TRACE_MODE=counts") +
                      "\n",
                  {}};
  const auto trace = trace::readTrace(path);
  if (!trace) {
    ADD_FAILURE() << trace.error().text << "\n" << counted.output;
    return counted;
  }
  for (const trace::SiteCount &count : trace->counts)
    if (const auto site = trace::findSite(trace->sites, count.site);
        !trace::isInSharedMemory(trace->sites, trace->sites.sites[*site].group)) // the host's alone
      counted.lanes[count.site] += count.laneAccesses;
  counted.loops = trace->sites.loops;
  return counted;
}

/// Gives each twin its kernel's name, so that it is launched, and the kernel another one.
/// \param twins  how many there are
std::string withTwinsInPlace(std::string text, std::size_t &twins) {
  const std::regex name(R"((\w+)_relayoutTwin\d+)");
  std::smatch twin;
  for (twins = 0; std::regex_search(text, twin, name); ++twins) {
    const std::string kernel = twin[1];
    const std::size_t at = twin.position();
    text.replace(at, twin.length(), kernel);
    if (text.compare(at + kernel.size(), 1, "(") != 0)
      break; // the Registration
    text.insert(text.rfind(" " + kernel + "(", at - 2) + 1 + kernel.size(), "Replaced");
  }
  return std::regex_replace(text, name, "$1");
}

class GpuForm : public testing::TestWithParam<const char *> {};

TEST_P(GpuForm, CountsAndComputesWhatTheExecutorDoes) {
  const std::string folder = std::string(GPU_FORM_PROGRAMS) + "/";
  ProgramText program(textOf(folder + GetParam()));
  program.add("records.h", textOf(folder + "records.h"));
  const std::string plain = runLowered(program, Probes::None, hostCompilers().front()) + "\n";
  const Counted expected = counted(program);
  EXPECT_EQ(expected.output, plain);

  auto probed = insertGpuProbes(program.command);
  ASSERT_TRUE(probed.has_value()) << probed.error().text;
  for (SourceText &file : probed->sources.files) {
    file.text =
        std::regex_replace(file.text, std::regex("::relayout::probe"), "::relayout::gpuform");
    file.text = std::regex_replace(file.text, std::regex("\"relayout/device/probe.cuh\""),
                                   "\"" + folder + "probes.h\"");
  }
  const auto expectSameIn = [&](const char *modes) {
    ASSERT_TRUE(writeSources(probed->sources, program.folder() + "/form").has_value());
    const std::string file =
        program.folder() + "/form/" + probed->sources.files.front().relativePath;
    ProgramText form(textOf(file));
    form.command.file = file;
    ASSERT_EQ(buildLowered(form, Probes::None, hostCompilers().front()), "");
    std::istringstream words(modes);
    for (std::string mode; words >> mode;) {
      SCOPED_TRACE(mode);
      Counted is = countedIn(runBuilt(form, "GPU_FORM=" + mode));
      for (const trace::Loop &loop : expected.loops) // iterations, which are no lanes at a site
        is.lanes.erase(loop.id);
      EXPECT_EQ(is.output, plain);
      EXPECT_EQ(is.lanes, expected.lanes);
      EXPECT_EQ(is.loopsApart, 0);
    }
  };
  expectSameIn("counts records 0 1 4");
  SCOPED_TRACE("twins");
  std::size_t twins = 0;
  std::string &text = probed->sources.files.front().text;
  text = withTwinsInPlace(text, twins);
  EXPECT_GT(twins, 0u);
  expectSameIn("counts records 1"); // of the functions that they call
}

INSTANTIATE_TEST_SUITE_P(Programs, GpuForm,
                         testing::Values("callables.cu", "control_flow.cu", "macros.cu",
                                         "memory.cu", "references.cu", "templates.cu"),
                         [](const auto &of) {
                           const std::string file = of.param;
                           return file.substr(0, file.find('.'));
                         });

} // namespace
} // namespace relayout::instrument
