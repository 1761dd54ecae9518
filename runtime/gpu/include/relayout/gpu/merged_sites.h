// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the site tables of a program's translation units as one.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/site_table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace relayout::gpu {

/// Every unit numbers its kernels from 0 and its probes from 1; here each has a range of its own.
/// Units that carry the same table share one.
class MergedSites {
public:
  struct Place {
    std::uint32_t firstKernel = 0;
    std::uint32_t firstSite = 0; ///< added to the unit's probe ids
  };

  /// \error RL-T05 not a site table
  [[nodiscard]] Result<Place> add(std::string_view siteTableJson);

  [[nodiscard]] const trace::SiteTable &table() const { return table_; }
  [[nodiscard]] std::uint32_t kernels() const {
    return static_cast<std::uint32_t>(table_.kernels.size());
  }
  /// One more than the highest probe id.
  [[nodiscard]] std::uint32_t sites() const { return sites_; }

private:
  trace::SiteTable table_;
  std::map<std::string, Place, std::less<>> places_; ///< by the tables' text
  std::uint32_t sites_ = 1;                          ///< id 0 is nobody's
};

} // namespace relayout::gpu
