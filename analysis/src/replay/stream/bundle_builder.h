// SPDX-License-Identifier: Apache-2.0
// Policy replay: joins the accesses of one warp into bundles, as a compiler would merge them.
#pragma once

#include "replay/stream/access_set_table.h"
#include "replay/stream/open_bundle.h"
#include "replay/stream/site_facts.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// A wave that is being put together.
struct GrowingWave {
  Wave wave;
  std::uint64_t bytes = 0;
  bool isOpen = false;
};

class BundleBuilder {
public:
  /// \param facts    by site
  /// \param growing  whose last warp the bundles go to
  BundleBuilder(std::vector<KernelStream> &kernels, std::vector<SiteFacts> &facts,
                GrowingWave &growing)
      : kernels_(kernels), facts_(facts), growing_(growing), sets_(kernels) {}

  /// Another warp begins: nothing is in registers.
  void beginWarp();

  /// \param access  a bundle of one access, mapped to elements
  void add(const OpenBundle &access, SiteFacts &site);

  /// No access joins those that are open.
  void closeBundles();

private:
  void follow(SiteFacts &facts);
  void endRegion();
  void place(const OpenBundle &access, trace::AccessKind kind);
  [[nodiscard]] std::size_t findSame(const OpenBundle &access, trace::AccessKind kind) const;
  std::size_t closeOthers(std::size_t same);
  void join(OpenBundle &open, const OpenBundle &access, bool strangers);
  void open(const OpenBundle &access);
  void emit(const OpenBundle &bundle);

  std::vector<KernelStream> &kernels_;
  std::vector<SiteFacts> &facts_;
  GrowingWave &growing_;
  AccessSetTable sets_;
  std::vector<OpenBundle> open_;
  std::uint32_t region_ = 0; ///< that is being executed; 0: not known
  std::uint64_t epoch_ = 1;  ///< regions entered so far
  bool startsRegion_ = false;
};

} // namespace relayout::analysis
