// SPDX-License-Identifier: Apache-2.0
// Compares the device-to-host copies of two versions of a program, and the states of shared arrays.
#include "stages/copy_comparison.h"

#include "reports/grouped.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace relayout::tool {

void OriginalCopies::add(const Copies &run) {
  if (!std::exchange(hasRun_, true)) {
    copies_ = run;
    varies_.assign(run.size(), 0);
    return;
  }
  countVaries_ |= run.size() != copies_.size();
  for (std::size_t i = 0; i < std::min(run.size(), copies_.size()); ++i)
    if (run[i].bytes != copies_[i].bytes || run[i].digest != copies_[i].digest)
      varies_[i] = 1;
}

Error nothingCopiedBack() {
  return {Code::NothingCopiedBack,
          "the program copies nothing from device to host, and no array in memory that both use "
          "was seen, so there is nothing to compare; copy the results back",
          {},
          {}};
}

Result<void> OriginalCopies::requireComparable() const {
  if (copies_.empty())
    return tl::unexpected(nothingCopiedBack());
  if (countVaries_)
    return fail(Code::NothingComparable,
                "how many copies the original makes varies from run to run, so none can be "
                "compared");
  if (std::ranges::all_of(varies_, [](char varies) { return varies != 0; }))
    return fail(Code::NothingComparable,
                fmt::format("what the original copies back varies from run to run, in each of its "
                            "{} copies, so none can be compared",
                            copies_.size()));
  return {};
}

CopyComparison OriginalCopies::compareWith(const Copies &rewritten) const {
  CopyComparison comparison;
  comparison.copies = copies_.size();
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    comparison.varying += varies_[i] != 0 ? 1 : 0;
    comparison.states += varies_[i] == 0 && copies_[i].isState() ? 1 : 0;
    comparison.bytes += varies_[i] != 0 ? 0 : copies_[i].bytes - copies_[i].paddingBytes;
    comparison.paddingBytes += varies_[i] != 0 ? 0 : copies_[i].paddingBytes;
  }
  if (copies_.size() != rewritten.size())
    comparison.difference =
        fmt::format("{} device-to-host copies became {}", copies_.size(), rewritten.size());
  for (std::size_t i = 0; i < std::min(copies_.size(), rewritten.size()); ++i) {
    const trace::CopyDigest &a = copies_[i];
    const trace::CopyDigest &b = rewritten[i];
    const std::string place = a.place.empty() ? std::string() : fmt::format(" ({})", a.place);
    // A struct grows with the views that it holds, which are left out.
    if (a.bytes - a.paddingBytes != b.bytes - b.paddingBytes)
      comparison.difference =
          fmt::format("copy {} of {}{} has {} bytes before the rewrite and {} after", i + 1,
                      copies_.size(), place, a.bytes, b.bytes);
    else if (varies_[i] == 0 && a.digest != b.digest)
      comparison.difference = fmt::format("copy {} of {}{} has different bytes after the rewrite",
                                          i + 1, copies_.size(), place);
    else
      continue;
    break;
  }
  return comparison;
}

Copies copiesFrom(std::string_view lines) {
  Copies copies;
  std::istringstream text{std::string(lines)};
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    trace::CopyDigest copy;
    if (!(words >> copy.bytes >> copy.digest))
      continue;
    words >> copy.paddingBytes; // becomes 0 where there is no number
    copies.push_back(std::move(copy));
  }
  return copies;
}

std::string describe(const CopyComparison &comparison) {
  const std::size_t compared = comparison.copies - comparison.varying - comparison.states;
  std::string text;
  if (compared != 0 || comparison.states == 0)
    text += fmt::format("{} {}, ", compared, compared == 1 ? "copy" : "copies");
  if (comparison.states != 0)
    text += fmt::format("{} {} of arrays that the host shares with kernels, ", comparison.states,
                        comparison.states == 1 ? "state" : "states");
  text += fmt::format("{} bytes, identical", grouped(comparison.bytes));
  if (comparison.paddingBytes != 0)
    text += fmt::format(" ({} bytes of record padding and addresses left out)",
                        grouped(comparison.paddingBytes));
  if (comparison.withoutFma)
    text += "\nboth were built with -fmad=false: as built, their copies differ, since nvcc "
            "contracts other "
            "products and sums to FMAs where the surrounding code has changed";
  if (comparison.varying != 0)
    text += fmt::format("\nnot comparable: {} more {}, which {} between runs of the original",
                        comparison.varying, comparison.varying == 1 ? "copy" : "copies",
                        comparison.varying == 1 ? "varies" : "vary");
  return text;
}

} // namespace relayout::tool
