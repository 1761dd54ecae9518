// SPDX-License-Identifier: Apache-2.0
// What a unit in C sees of a header.
#pragma once

#include <string>

namespace relayout::rewriter {

/// The lines without those that `#ifdef __cplusplus` and `#ifndef __cplusplus` keep from C, and
/// without these directives.
[[nodiscard]] std::string textForC(const std::string &text);

} // namespace relayout::rewriter
