// SPDX-License-Identifier: Apache-2.0
// Fuzzing: writes the inputs that mutation starts from: files as relayout writes them, and the
// machine and batch files of this tree.
#include "framed_trace.h"

#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/reader.h"
#include "relayout/trace/writer.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace relayout;

void write(const fs::path &file, const std::string &bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string bytesOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A choice between a division and calls, after two additions.
trace::Operations operations() {
  using trace::OperationKind;
  using trace::ValueType;
  trace::Operations exact, approximate, all;
  exact.add({OperationKind::Divide, ValueType::Double, ""});
  approximate.add({OperationKind::Call, ValueType::Single, "rsqrtf"}, 2);
  all.add({OperationKind::Add, ValueType::Single, ""}, 2);
  all.choices.push_back({1, {exact, approximate}});
  return all;
}

/// One of every step.
std::vector<trace::code::Step> steps() {
  using namespace trace::code;
  return {Loop{0, 16, kUnrollAll},
          Access{0},
          SingleTrip{0},
          Branch{5, true, true},
          Jump{},
          LibraryCall{"sqrtf", true, true},
          Call{0},
          Divide{true},
          LoopEnd{},
          Unreachable{},
          UnreachableEnd{},
          LoopEnd{}};
}

trace::SiteTable sites() {
  trace::SiteTable table;
  table.sourceFile = "sample.cu";
  trace::Record &body = table.records.emplace_back();
  body.name = "Body";
  body.bytes = 16;
  body.alignment = 4;
  body.fields = {{"x", "float", "", 0, 4, 4, 1}, {"v", "float", "[3]", 4, 12, 4, 3}};
  table.groups.push_back({0, {"main::d"}, {"sample.cu", 20, 9}});
  table.loops.push_back({2, trace::kNone, "step", {"sample.cu", 9, 3}, operations()});
  const SourcePlace access = {"sample.cu", 10, 9};
  table.sites.push_back({1, trace::AccessKind::Read, 0, 0, 0, 0, 4, "step", access});
  table.kernels.push_back({"step", {"sample.cu", 8, 17}, operations(), 37});
  table.reaches.push_back({0, 0, 0});
  table.outlines.push_back({"update", false, {}, {}});
  table.outlines.push_back({"step", true, {true, false, true}, steps()});
  return table;
}

trace::WarpAccess access(std::uint64_t order, std::uint64_t stride) {
  trace::WarpAccess access;
  access.site = 1;
  access.order = order;
  access.activeMask = 0xffffffffu;
  access.bytes = 4;
  for (unsigned lane = 0; lane < trace::kWarpLanes; ++lane)
    access.addresses[lane] = 0x7000 + stride * lane * lane;
  return access;
}

bool writeTrace(const std::string &path) {
  Result<trace::Writer> writer = trace::Writer::create(path);
  if (!writer)
    return false;
  writer->machine({"cpu", "test machine"});
  writer->command("./sample 16");
  writer->sites(toJson(sites()));
  writer->allocation({0x7000, 4096, {{"n", 256}, {"4", 4}}});
  writer->launch({0, {1, 1, 1}, {64, 1, 1}, 0, 1});
  for (std::uint64_t order = 0; order < 3; ++order)
    if (!writer->access(access(order, 4 * order)))
      return false;
  writer->copy({4096, 12, "00ff00ff", "sample.cu:30"});
  return writer->close({"step"}, {{0, 1, 3, 96, 3, 0}}, {{0, 0, 6, 24}}, 1, 1, 1).has_value();
}

bool writeTraceSeeds(const fs::path &folder) {
  fs::create_directories(folder);
  const fs::path file = folder / "file.trace";
  if (!writeTrace(file.string()))
    return false;
  trace::ByteSink frames;
  frames.u8(static_cast<std::uint8_t>(fuzz::Form::Frames));
  Result<trace::ChunkReader> reader = trace::ChunkReader::open(file.string());
  while (reader && !reader->ended()) {
    const Result<std::optional<trace::Chunk>> chunk = reader->next();
    if (!chunk || !chunk->has_value())
      return false;
    fuzz::appendFrame(frames, **chunk);
    if ((*chunk)->type == trace::ChunkType::Accesses)
      write(folder / "accesses", static_cast<char>(fuzz::Form::Accesses) + (*chunk)->payload);
  }
  write(folder / "frames", frames.bytes());
  write(file, static_cast<char>(fuzz::Form::File) + bytesOf(file));
  return reader.has_value();
}

void writePlanSeed(const fs::path &folder) {
  analysis::Plan plan{"sample.cu", "0123456789abcdef", "replay", {}};
  analysis::Decision decision;
  decision.record = "Body";
  decision.arrays = {"main::d"};
  decision.fields = {"x", "v"};
  decision.layout.tile = 32;
  decision.layout.clusters = {{{0}, 4}, {{1}, 16}};
  decision.layout.clusters.back().exploded = true;
  decision.layout.order = {{16, 4}, {1, 0, 2}, {"nz", ""}};
  plan.decisions.push_back(decision);
  decision.keep = true;
  plan.decisions.push_back(decision);
  write(folder / "plan.json", toJson(plan));
}

void copySeeds(const fs::path &from, const std::string &name, const fs::path &folder) {
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(from))
    if (entry.path().filename().string().ends_with(name))
      write(folder / (entry.path().parent_path().filename().string() + "-" +
                      entry.path().filename().string()),
            bytesOf(entry.path()));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fputs("usage: write_fuzz_seeds SOURCE_DIR CORPORA\n", stderr);
    return 2;
  }
  const fs::path source = argv[1];
  const fs::path corpora = argv[2];
  fs::remove_all(corpora);
  if (!writeTraceSeeds(corpora / "trace"))
    return 1;
  writePlanSeed(corpora / "plan");
  copySeeds(source / "analysis/machines", ".json", corpora / "machine");
  copySeeds(source / "analysis/architectures", ".json", corpora / "machine");
  copySeeds(source / "samples", "batch.json", corpora / "batch");
  write(corpora / "batch/one.json", R"json({"programs": [{
  "name": "a", "sources": ["a.cu"], "flags": ["-O3"], "small": ["1"], "large": ["2"],
  "figure": "([0-9.]+) ms", "unit": "ms", "layouts": ["soa"],
  "handTuned": [{"source": "a.cu", "figures": {"tuned": "t ([0-9]+)"}}]}]})json");
  return 0;
}
