// SPDX-License-Identifier: Apache-2.0
// Lowering: tells the executor of copies of records which of their bytes are padding.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

void noteCopies(UnitReading &unit);

} // namespace relayout::instrument
