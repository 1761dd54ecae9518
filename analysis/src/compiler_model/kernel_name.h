// SPDX-License-Identifier: Apache-2.0
// The compiler model: names of kernels, as traces have them.
#pragma once

#include <string>
#include <string_view>

namespace relayout::analysis {

/// "void space::sweep<true>(Cell*, Grid)" is space::sweep in a trace: instantiations of a template
/// count together.
[[nodiscard]] std::string nameInTrace(std::string_view demangled);

} // namespace relayout::analysis
