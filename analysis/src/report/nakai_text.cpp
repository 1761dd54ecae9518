// SPDX-License-Identifier: Apache-2.0
// What the analysis found, as text for a terminal.
#include "relayout/analysis/report/nakai_report.h"

#include "relayout/analysis/report/nakai_plan.h"
#include "report/nakai_terms.h"
#include "report/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::analysis {
namespace {

constexpr std::size_t kNameWidth = 24; // of a kernel or field name in the table
constexpr const char *kBorrowedMark = " *";

/// The field; its record too where rows of several records stand together.
enum class Rows { OfOneRecord, OfAny };
std::string accessName(const trace::SiteTable &table, const trace::Site &site, Rows rows) {
  const trace::Record &record = table.records[site.record];
  const std::string field = site.field == trace::kNone ? "(whole)" : record.fields[site.field].name;
  return shortened(rows == Rows::OfOneRecord ? field : record.name + "." + field, kNameWidth);
}

void renderHeader(const NakaiAnalysis &analysis, std::string &text) {
  const trace::Trace &trace = *analysis.trace;
  text += fmt::format("Layout analysis of {}, policy nakai (Nakai & Ohno 2017)\n",
                      trace.sites.sourceFile.empty() ? "a program" : trace.sites.sourceFile);
  if (!trace.command.empty())
    text += fmt::format("  run       {}\n", trace.command);
  text += fmt::format("  machine   {} {}\n", trace.machine.kind, trace.machine.name);
  text += fmt::format("  launches  {}; blocks {}, of which {} sampled\n",
                      grouped(trace.launchesExecuted), grouped(trace.blocksExecuted),
                      grouped(trace.blocksSampled));
  std::uint64_t executed = 0;
  std::uint64_t recorded = 0;
  for (const SiteRow &row : analysis.rows) {
    executed += row.warpAccesses;
    recorded += row.recorded;
  }
  text += fmt::format("  accesses  {} warp accesses to records = {} recorded + {} counted only\n",
                      grouped(executed), grouped(recorded), grouped(executed - recorded));
  if (!analysis.neverExecuted.empty())
    text += fmt::format("  not run   {} of {} sites, which have no part in the decision\n",
                        analysis.neverExecuted.size(), trace.sites.sites.size());
}

void renderSites(const NakaiAnalysis &analysis, const std::vector<std::size_t> &positions,
                 Rows rows, std::size_t maxRows, std::string &text) {
  const trace::Trace &trace = *analysis.trace;
  using Align = TextTable::Align;
  TextTable table({{"place", Align::Left},
                   {"kernel", Align::Left},
                   {rows == Rows::OfOneRecord ? "field" : "access", Align::Left},
                   {"kind", Align::Left},
                   {"class", Align::Left},
                   {"n", Align::Right},
                   {"executions", Align::Right},
                   {"weight", Align::Right}});
  const std::vector<std::size_t> order = heaviestFirst(analysis.rows, positions);
  const std::size_t shown = maxRows == 0 ? order.size() : std::min(maxRows, order.size());
  double hiddenWeight = 0;
  bool hasBorrowed = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SiteRow &row = analysis.rows[order[i]];
    if (i >= shown) {
      hiddenWeight += row.weight;
      continue;
    }
    const trace::Site &site = trace.sites.sites[row.site];
    const bool borrowed = row.evidence == Evidence::OtherKernels;
    hasBorrowed |= borrowed;
    table.addRow({shortPlace(site.place), shortenedAmong(trace.kernels, row.kernel, kNameWidth),
                  accessName(trace.sites, site, rows), trace::accessKindName(site.kind),
                  std::string(accessClassName(row.accessClass)) + (borrowed ? kBorrowedMark : ""),
                  row.evidence == Evidence::None ? "-" : fmt::format("{:.1f}", row.averageThreads),
                  grouped(row.warpAccesses), signedNumber(row.weight)});
  }
  text += table.render(2);
  if (shown < order.size())
    text += fmt::format("  ... {} more rows, {} in all (--all)\n", order.size() - shown,
                        signedNumber(hiddenWeight));
  if (hasBorrowed)
    text += "  * not recorded in this kernel; the class is that of the same site in others\n";
}

/// One line of a tree. Fields wrap below their own column; a line without any is its place alone.
struct TreeLine {
  std::string place;
  std::string count;
  std::string fields;
};

std::string renderLines(const std::vector<TreeLine> &lines) {
  std::size_t placeWidth = 0;
  std::size_t countWidth = 0;
  for (const TreeLine &line : lines) {
    placeWidth = std::max(placeWidth, line.place.size());
    countWidth = std::max(countWidth, line.count.size());
  }
  std::string text;
  for (const TreeLine &line : lines) {
    if (line.fields.empty()) {
      text += line.place + "\n";
      continue;
    }
    const std::string head =
        fmt::format("{:<{}}  {:>{}}  ", line.place, placeWidth, line.count, countWidth);
    text += head + wrapped(line.fields, head.size(), kReportWidth).substr(head.size());
  }
  return text;
}

void renderTree(const NakaiAnalysis &analysis, const AccessTree &tree,
                const std::vector<std::string> &names, std::string &text) {
  std::vector<TreeLine> lines;
  for (const KernelNode &kernel : tree.kernels) {
    lines.push_back({"    " + kernel.kernel, "", ""});
    for (const LoopNode &loop : kernel.loops) {
      for (const TreePlace &place : loop.places) {
        const bool last = &place == &loop.places.back();
        lines.push_back({fmt::format("      {}{}", loopName(analysis.trace->sites, place.loop),
                                     last ? "" : " and"),
                         last ? grouped(loop.count) : "",
                         last ? fieldNames(loop.fields, names) : ""});
      }
    }
  }
  text += renderLines(lines);
}

std::size_t nodeCount(const AccessTree &tree) {
  std::size_t nodes = 0;
  for (const KernelNode &kernel : tree.kernels)
    nodes += kernel.loops.size();
  return nodes;
}

void renderMerging(const NakaiAnalysis &analysis, const GroupAnalysis &group, std::string &text) {
  const std::vector<std::string> &names = group.decision.fields;
  const trace::Index recordIndex = analysis.trace->sites.groups[group.group].record;
  const trace::Record &record = analysis.trace->sites.records[recordIndex];
  text += "\n  Loops of equal count merged within each kernel\n";
  if (nodeCount(group.mergedWithin) == nodeCount(group.tree))
    text += "    there are none\n";
  else
    renderTree(analysis, group.mergedWithin, names, text);

  text += "\n  Loops of equal count and a common field merged across kernels\n";
  if (group.mergedAcross.size() == nodeCount(group.mergedWithin)) {
    text += "    there are none\n";
    return;
  }
  for (const LoopNode &node : group.mergedAcross) {
    std::vector<std::string> places;
    for (const TreePlace &place : node.places)
      places.push_back(
          fmt::format("{} {}", place.kernel, loopName(analysis.trace->sites, place.loop)));
    std::uint64_t bytes = 0;
    for (const std::uint32_t field : node.fields)
      bytes += record.fields[field].bytes;
    text += wrapped(fmt::format("count {}, {} B: {}", grouped(node.count), bytes,
                                fieldNames(node.fields, names)),
                    4, kReportWidth);
    text += wrapped(fmt::format("from {}", fmt::join(places, ", ")), 6, kReportWidth);
  }
}

void renderChoice(const NakaiAnalysis &analysis, const GroupAnalysis &group, std::string &text) {
  const Decision &decision = group.decision;
  const trace::Index recordIndex = analysis.trace->sites.groups[group.group].record;
  const std::vector<LayoutField> fields = layoutFields(analysis.trace->sites.records[recordIndex]);
  text += wrapped(decision.keep ? "Chosen: original (not rewritten)"
                                : "Chosen: " + describe(decision.layout, fields),
                  2, kReportWidth);
  text += wrapped("Reason: " + reasonOf(group), 4, kReportWidth);
  if (decision.keep)
    return;
  text += fmt::format("    Memory: {} B an element, {} B in the source\n", group.elementBytes,
                      group.recordBytes);
  const Result<AddressFunction> bound = AddressFunction::bind(decision.layout, fields, 1);
  if (!bound || decision.layout.clusters.size() == fields.size())
    return;
  for (std::uint32_t c = 0; c < decision.layout.clusters.size(); ++c) {
    std::set<std::uint32_t> members(decision.layout.clusters[c].fields.begin(),
                                    decision.layout.clusters[c].fields.end());
    std::uint64_t used = 0;
    for (const std::uint32_t field : members)
      used += fields[field].bytes;
    text += wrapped(fmt::format("struct {}: {} B aligned to {}, {} B of fields: {}", c + 1,
                                bound->clusterBytes(c), bound->clusterAlignment(c), used,
                                fieldNames(members, decision.fields)),
                    6, kReportWidth);
  }
}

void renderGroup(const NakaiAnalysis &analysis, const GroupAnalysis &group,
                 const ReportOptions &options, std::string &text) {
  const std::string heading =
      wrapped(fmt::format("{} ({} B), arrays {}", group.decision.record, group.recordBytes,
                          fmt::join(group.decision.arrays, ", ")),
              0, kReportWidth);
  text += "\n" + heading + std::string(std::min(heading.find('\n'), kReportWidth), '-') + "\n";
  if (!group.rows.empty()) {
    renderSites(analysis, group.rows, Rows::OfOneRecord, options.maxRows, text);
    text += fmt::format("  Sum of weights: {}\n", signedNumber(group.weightSum));
    if (group.sharedRows != 0)
      text += wrapped(fmt::format("{} of these rows access an array that is not known statically; "
                                  "they count for every group of the record",
                                  group.sharedRows),
                      2, kReportWidth);
    std::uint64_t unobserved = 0;
    for (const std::size_t row : group.rows)
      if (analysis.rows[row].evidence == Evidence::None)
        unobserved += analysis.rows[row].warpAccesses;
    if (unobserved != 0)
      text += wrapped(fmt::format("{} warp accesses are of sites without a recorded address, and "
                                  "weigh nothing",
                                  grouped(unobserved)),
                      2, kReportWidth);
    text += "\n  Field-access tree: kernel, loop, count, fields\n";
    renderTree(analysis, group.tree, group.decision.fields, text);
    if (group.weightSum > 0)
      renderMerging(analysis, group, text);
    text += "\n";
  }
  renderChoice(analysis, group, text);
}

} // namespace

std::string renderReport(const NakaiAnalysis &analysis, const ReportOptions &options) {
  std::string text;
  renderHeader(analysis, text);
  for (const GroupAnalysis &group : analysis.groups)
    renderGroup(analysis, group, options, text);
  if (!analysis.unattributed.empty()) {
    text += "\nAccesses to arrays that are not known, of no part in any decision\n";
    renderSites(analysis, analysis.unattributed, Rows::OfAny, options.maxRows, text);
  }
  text += "\n";
  text += wrapped("n: lanes of a warp within 128 B of its first lane's address, that lane not "
                  "counted, on average. executions: warp accesses, exact. weight: executions for "
                  "UnCoalesce and ShareCoalesce, which speak for AoS; -n/32 of them for Coalesce, "
                  "which speaks for SoA. count: warp accesses of a loop's most executed access.",
                  0, kReportWidth);
  return text;
}

} // namespace relayout::analysis
