// SPDX-License-Identifier: Apache-2.0
// Policy replay: what candidate layouts of one group take, the other groups' layouts given.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"
#include "relayout/analysis/replay/search/compiled_version.h"
#include "replay/search/shared_memory.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

class Assessor {
public:
  /// \param threads  0: as many as the machine has
  Assessor(const trace::Trace &trace, const Machine &machine, unsigned threads)
      : trace_(&trace), machine_(&machine), threads_(threads), chosen_(trace.sites.groups.size()),
        unexplainedNs_(trace.kernels.size()) {}

  /// Compares measured durations with the model's for the source's layouts; what it does not
  /// explain stays in every layout.
  /// \param measuredNs  of all traced launches of a kernel, by its name
  [[nodiscard]] Result<void> compareWithMeasured(const ReplaySample &sample,
                                                 const std::map<std::string, double> &measuredNs);

  /// From now on kernels have the registers that a compiler gave them in these versions, and walks
  /// their machine code, where its iterations are those of the source in all of them.
  void trust(const ReplaySample &sample, const std::vector<CompiledVersion> &versions);

  /// Whether the machine code of all versions of a kernel that uses the group is known.
  [[nodiscard]] bool knowsWalkOf(const ReplaySample &sample, trace::Index group) const;

  /// From now on the group has this layout; none: the source's.
  void choose(trace::Index group, const std::optional<Layout> &layout) { chosen_[group] = layout; }
  [[nodiscard]] const std::optional<Layout> &chosen(trace::Index group) const {
    return chosen_[group];
  }

  /// Whether a group in shared memory may have a layout, those of the others as chosen so far.
  [[nodiscard]] bool fitsSharedMemory(const ReplaySample &sample, trace::Index group,
                                      const Layout &layout) const {
    return analysis::fitsSharedMemory(*trace_, sample, *machine_, chosen_, group, layout);
  }

  /// Layouts of groups that change together; none: the source's.
  using Trial = std::map<trace::Index, Layout>;

  /// Assesses trials side by side.
  /// \param sizes   times are those at the first, outcomes those at all
  /// \param groups  all that some trial changes
  /// \param trials  the source's first, which errors are against; a candidate's layout is that of
  ///                the first group that changes
  /// \returns  without an outcome for orders of elements whose extents another run does not tell,
  ///           and for all where no kernel of that run uses the groups
  [[nodiscard]] Result<std::vector<Candidate>> assess(const std::vector<SizedSample> &sizes,
                                                      const std::set<trace::Index> &groups,
                                                      const std::vector<Trial> &trials) const;

  /// \param layout  of the group; null: the source's
  [[nodiscard]] Result<KernelEvaluation> evaluate(const ReplaySample &sample,
                                                  const KernelSample &kernel, trace::Index group,
                                                  const Layout *layout) const;

  /// What all launches of the kernels that use a group take, with the layouts as chosen so far.
  [[nodiscard]] Result<double> weightOf(const ReplaySample &sample, trace::Index group) const;

private:
  /// What is kept of one kernel's evaluation under one candidate.
  struct Glance;

  [[nodiscard]] Result<std::vector<Candidate>> assessAt(const SizedSample &size,
                                                        const std::set<trace::Index> &groups,
                                                        const std::vector<Trial> &trials) const;
  /// \param tried       as the size's run has them
  /// \param asCompiled  as the versions have them
  [[nodiscard]] Result<std::vector<Glance>> glance(const SizedSample &size,
                                                   const std::vector<const KernelSample *> &kernels,
                                                   const std::set<trace::Index> &groups,
                                                   const std::vector<Trial> &tried,
                                                   const std::vector<Trial> &asCompiled) const;
  /// A group's layout as the size's run has it, whose extents may have other values; none: unknown.
  [[nodiscard]] static std::optional<Layout> inRunOf(const SizedSample &size, trace::Index group,
                                                     const Layout &layout);
  /// Without the groups whose layout is not known there.
  [[nodiscard]] static Trial inRunOf(const SizedSample &size, const Trial &trial);
  [[nodiscard]] double conversionNs(const SizedSample &size, const Trial &trial) const;
  /// What is unexplained where the kernel was measured, else what it waits for managed memory.
  [[nodiscard]] double otherNs(const ReplaySample &sample, const KernelSample &kernel) const;
  /// Nobody measured the other run.
  [[nodiscard]] double otherNs(const SizedSample &size, const KernelSample &kernel) const;

  /// The version with that layout of the group whose other groups are most as chosen so far; null:
  /// none has it.
  [[nodiscard]] const CompiledVersion *compiledWith(trace::Index group,
                                                    const std::optional<Layout> &layout) const;
  /// As compiled with that layout of the group; none: not known.
  [[nodiscard]] std::optional<KernelScale> compiledScale(const trace::Trace &trace,
                                                         const KernelSample &kernel,
                                                         trace::Index group,
                                                         const std::optional<Layout> &layout) const;
  /// The same of a trial; versions differ in single groups, so nothing is known of several.
  [[nodiscard]] std::optional<KernelScale> compiledScale(const trace::Trace &trace,
                                                         const KernelSample &kernel,
                                                         const std::set<trace::Index> &groups,
                                                         const Trial &trial) const;

  /// Where values have no register as compiled with that layout of the group; empty: nowhere.
  [[nodiscard]] std::string spillingKernel(trace::Index group,
                                           const std::optional<Layout> &layout) const;

  const std::vector<CompiledVersion> *compiled_ = nullptr;
  /// By the kernel's name, then by version; without kernels that are no walk.
  std::map<std::string, std::vector<CompiledWalk>> walks_;
  const trace::Trace *trace_;
  const Machine *machine_;
  unsigned threads_;
  std::vector<std::optional<Layout>> chosen_; ///< by group
  /// Of the traced run, by trace kernel; none: it was not measured.
  std::vector<std::optional<double>> unexplainedNs_;
};

} // namespace relayout::analysis
