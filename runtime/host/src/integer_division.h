// SPDX-License-Identifier: Apache-2.0
// Executor: integer divisions that have no result, which a GPU carries out all the same.
#pragma once

namespace relayout::host {

/// In a handler of SIGFPE: gives the division that raised it the results of a GPU, all bits one,
/// and of the least number by -1 that number and no remainder, and goes on behind it.
/// Async-signal-safe.
/// \param context  the handler's ucontext_t
/// \returns  false where it is no division that this knows
bool finishDivision(void *context);

} // namespace relayout::host
