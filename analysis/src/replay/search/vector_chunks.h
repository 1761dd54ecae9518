// SPDX-License-Identifier: Apache-2.0
// Policy replay: clusters that are each as wide as one vector access.
#pragma once

#include "replay/search/candidates.h"

namespace relayout::analysis {

/// Fields in chunks of at most so many bytes, such that what is mostly used together is in few of
/// them: the fields that the main uses treat alike fill chunks, and what is left of such a set
/// fills up the rest of another that is used with it. \param bytes    of a vector access \param
/// isDense  rests are filled up with fields of any main use, so that there are fewer \returns
/// nothing where all fields are one chunk, or each is one of its own
[[nodiscard]] Partition vectorChunks(const SearchSpace &space, std::uint32_t bytes, bool isDense);

} // namespace relayout::analysis
