// SPDX-License-Identifier: Apache-2.0
// A verification as data.
#include "stages/verification_json.h"

#include <nlohmann/json.hpp>

namespace relayout::tool {

nlohmann::ordered_json toJson(const Verification &verification, const OutputCheck &check) {
  const CopyComparison &comparison = verification.comparison;
  return {{"identical", comparison.identical()},
          {"copies", comparison.copies},
          {"states_of_shared_arrays", comparison.states},
          {"copies_not_compared", comparison.varying},
          {"bytes", comparison.bytes},
          {"padding_bytes_left_out", comparison.paddingBytes},
          {"without_fma", comparison.withoutFma},
          {"blocks_in_order", verification.serial},
          {"partial", verification.isPartial()},
          {"unexecuted", verification.unexecuted.arrays},
          {"gpu", verification.gpu},
          {"compiles", check.isConclusive()},
          {"units_by_own_compilers", check.byOwnCompilers},
          {"units_by_clang", check.byClang}};
}

} // namespace relayout::tool
