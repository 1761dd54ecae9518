// SPDX-License-Identifier: Apache-2.0
// Hardware truth: what one run of an unchanged program under counters told, as plain values and as
// JSON. No CUPTI type is here, so that tests can make up runs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayout::gpu {

/// What one run gathers; they disturb each other, so each has a run of its own.
enum class CounterMode {
  Times,  ///< kernel durations, from activity records
  Ranges, ///< counters of whole kernels, from the range profiler
  Graphs, ///< counters of whole graphs, likewise
  Lines,  ///< executed memory instructions by source line, from SASS metrics
};

/// "times", "ranges", "graphs" or "lines", the words of RELAYOUT_COUNTERS_MODE.
[[nodiscard]] const char *counterModeName(CounterMode mode);
[[nodiscard]] std::optional<CounterMode> counterModeNamed(std::string_view name);

/// Counters of the range profiler, by the names that Nsight Compute gives them. Sectors are 32
/// bytes.
inline constexpr std::array kRangeMetrics = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_write.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__inst_executed.sum",
    // Floating-point instructions of lanes; an fma is two operations.
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
};

/// Those of them that are counted for graphs. The operations are not: CUPTI counts them in code
/// that it patches, and gives 0 for those in graphs (13.0).
inline constexpr std::span kGraphMetrics = std::span(kRangeMetrics).first<12>();

/// Counted for each machine instruction; an instruction is one of load, store, atomic, reduction.
inline constexpr const char *kLoads = "smsp__sass_inst_executed_op_global_ld";
inline constexpr const char *kStores = "smsp__sass_inst_executed_op_global_st";
inline constexpr const char *kAtomics = "smsp__sass_inst_executed_op_global_atom";
inline constexpr const char *kReductions = "smsp__sass_inst_executed_op_global_red";
inline constexpr const char *kThreads = "smsp__sass_thread_inst_executed_op_global_pred_on";
inline constexpr const char *kSectors = "smsp__sass_sectors_mem_global";
inline constexpr std::array kLineMetrics = {kLoads,      kStores,  kAtomics,
                                            kReductions, kThreads, kSectors};

/// Whether a run in mode ranges saw the launch of a graph.
/// \param report  text of CounterReport::toJson
[[nodiscard]] bool hasGraphs(const std::string &report);

/// Whether the launch of a kernel before which there were `earlier` ones is counted: the first
/// four, then each whose number is a power of two. A million launches cost 22 replays, taken all
/// along.
[[nodiscard]] bool isCountedLaunch(std::uint64_t earlier);

/// What a CUDA graph runs.
struct GraphContents {
  std::string key; ///< graphs with the same nodes, in any order, have the same
  std::map<std::string, std::uint64_t> kernels; ///< nodes by symbol
  bool isAll = true; ///< false: it may run kernels that are not in `kernels`, or some more often
};

/// Graphs that a report distinguishes.
inline constexpr std::size_t kMostGraphs = 256;

/// A machine instruction and some of what was counted for it.
struct CountedInstruction {
  std::uint32_t cubin = 0;                       ///< checksum of the code that holds the function
  std::string function;                          ///< symbol
  std::uint32_t offset = 0;                      ///< bytes from the start of the function
  std::map<std::string, std::uint64_t> counters; ///< by metric
};

struct LinePlace {
  std::string file; ///< as the compiler was told
  std::uint32_t line = 0;
};

/// The place an instruction was made from; nothing without -lineinfo.
using FindLine = std::function<std::optional<LinePlace>(const CountedInstruction &)>;

class CounterReport {
public:
  explicit CounterReport(CounterMode mode) : mode_(mode) {}

  void gpu(std::string name) { gpu_ = std::move(name); }
  void cupti(std::string version) { cupti_ = std::move(version); }
  /// Notes one more launch. \returns how many there were of this kernel before
  std::uint64_t launched(const std::string &symbol) { return kernels_[symbol].launches++; }
  /// Notes one more launch of a graph. \returns whether its counters are wanted still
  bool graphLaunched(const GraphContents &graph);
  /// What the hardware counted for one launch; metrics it lacks are left out.
  void counted(const std::string &symbol, const std::map<std::string, std::uint64_t> &counters);
  /// What it counted so far for one launch of a graph.
  /// \param isWhole  nothing more will come
  void graphCounted(const GraphContents &graph, bool isWhole,
                    const std::map<std::string, std::uint64_t> &counters);
  /// \param isInGraph  its launch was a graph's
  void ran(const std::string &symbol, std::uint64_t elapsedNs, bool isInGraph);
  /// The instructions of so many launches will be told by executed().
  void counting(const std::string &symbol, std::uint64_t launches) {
    kernels_[symbol].counted += launches;
  }
  /// What instructions did in all launches of a context, added up by line. Rows of the same
  /// instruction are taken together; instructions that accessed no global memory are left out,
  /// those without a line are kept under line 0.
  void executed(const std::vector<CountedInstruction> &instructions, const FindLine &findLine);
  /// Part that this run cannot give, and the reason; said once.
  void missing(const std::string &part, const std::string &why);

  [[nodiscard]] std::string toJson() const;

private:
  struct Kernel {
    std::uint64_t launches = 0; ///< one by one
    std::uint64_t inGraphs = 0; ///< as nodes of graphs
    std::uint64_t counted = 0;
    bool isPatched = false; ///< executed() was told of instructions of it
    std::map<std::string, std::uint64_t> counters;
    std::uint64_t timed = 0, timedInGraphs = 0, allNs = 0, leastNs = ~std::uint64_t{0}, mostNs = 0;
  };
  struct Graph {
    GraphContents contents;
    std::uint64_t launches = 0;
    bool isWhole = false;
    std::map<std::string, std::uint64_t> counters;
  };
  struct Line {
    std::string file;
    std::uint32_t line = 0;
    std::string kernel; ///< symbol
    auto operator<=>(const Line &) const = default;
  };
  /// Of one line: by kind ("read", "write", "atomic"), the counters of its instructions.
  struct Kind {
    std::uint64_t instructions = 0; ///< executed by warps
    std::uint64_t threads = 0;
    std::uint64_t sectors = 0;
    std::uint64_t places = 0; ///< machine instructions that were executed at all
  };

  /// What was said, and what the launches seen imply: a row each kernel and graph.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> allMissing() const;

  CounterMode mode_;
  std::string gpu_, cupti_;
  std::map<std::string, Kernel> kernels_; ///< by symbol
  std::map<std::string, Graph> graphs_;   ///< by key
  std::map<Line, std::map<std::string, Kind>> lines_;
  std::vector<std::pair<std::string, std::string>> missing_;
};

/// Puts what counter runs told into the report of a traced run ("" or one of session_report.cpp):
/// under "counters", with all they lack appended to "missing".
/// \param program  whose counters these are
/// \param runs     texts of CounterReport::toJson, each of a mode of its own
/// \returns        the merged report, or nothing when one of the texts is no JSON object
[[nodiscard]] std::optional<std::string> mergeCounters(const std::string &report,
                                                       const std::string &program,
                                                       const std::vector<std::string> &runs);

} // namespace relayout::gpu
