// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what the trace format has no place for, as JSON beside the trace: how long kernels
// ran, how full the buffers were, and what this machine could not give.
#include "session.h"

#include "relayout/base/demangled.h"
#include "relayout/base/twin_names.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <string>

namespace relayout::gpu {
void Session::writeReport() {
  nlohmann::ordered_json report;
  report["machine"] = machine_;
  std::uint64_t executed = 0, recorded = 0;
  for (const KernelCounts &kernel : kernels_)
    for (const trace::SiteCount &site : kernel.sites) {
      executed += site.warpAccesses;
      recorded += site.recorded;
    }
  report["warp_accesses"] = {
      {"executed", executed}, {"recorded", recorded}, {"dropped", executed - recorded}};
  report["record_bytes"] = {
      {"used", recordBytes_}, {"asked", recordBytesAsked_}, {"damaged_records", damaged_}};
  report["launches"] = {{"executed", launches_}, {"without_a_row", launchesLost_}};
  report["missing"] = nlohmann::json::array();
  {
    const std::scoped_lock lock(notesMutex_);
    for (const auto &[part, why] : missing_)
      report["missing"].push_back({{"part", part}, {"why", why}});
  }
  report["arrays"] = nlohmann::json::array();
  {
    const std::scoped_lock lock(arraysMutex_);
    for (const ArrayLife &life : arrays_.arrays()) {
      nlohmann::ordered_json row = {{"name", life.name},
                                    {"bytes", life.bytes},
                                    {"allocated_before_launch", life.allocatedAt},
                                    {"copied_in_bytes", life.copiedInBytes},
                                    {"copied_out_bytes", life.copiedOutBytes}};
      if (life.freedAt != ArrayLife::kNever)
        row["freed_before_launch"] = life.freedAt;
      report["arrays"].push_back(std::move(row));
    }
    report["arrays_without_a_row"] = arrays_.arraysWithoutARow();
  }
  report["kernel_times"] = nlohmann::json::array();
  const std::scoped_lock lock(timesMutex_);
  std::map<std::string, KernelTimes> timesOf; ///< kernels, with their twins
  for (const auto &[symbol, times] : times_)
    timesOf[withoutTwin(demangled(symbol))].add(times);
  for (const auto &[kernel, times] : timesOf)
    report["kernel_times"].push_back({{"kernel", kernel},
                                      {"launches", times.launches},
                                      {"all_ns", times.allNs},
                                      {"least_ns", times.leastNs},
                                      {"most_ns", times.mostNs}});
  report["kernel_times_lost"] = timesLost_;
  std::ofstream(trace::reportBeside(settings_.tracePath))
      << report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

} // namespace relayout::gpu
