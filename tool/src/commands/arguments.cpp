// SPDX-License-Identifier: Apache-2.0
// Separates relayout's own options from the compiler's flags and the user's program's arguments.
#include "commands/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::tool {
namespace {

using namespace std::string_view_literals;

/// Compiler flags whose value is the next word.
constexpr std::array kValueFlags = {"-I"sv,      "-D"sv,       "-U"sv,         "-L"sv,
                                    "-l"sv,      "-x"sv,       "-std"sv,       "-arch"sv,
                                    "-code"sv,   "-gencode"sv, "-ccbin"sv,     "-isystem"sv,
                                    "-iquote"sv, "-include"sv, "-Xcompiler"sv, "-Xlinker"sv,
                                    "-Xptxas"sv, "-Xcudafe"sv, "-Xnvlink"sv,   "-maxrregcount"sv,
                                    "-t"sv,      "-MF"sv,      "-MT"sv,        "-MQ"sv,
                                    "-rdc"sv,    "-dlto"sv};

/// nvcc's long options; with `=value`, alone, or followed by a value where the second column says.
struct LongFlag {
  std::string_view name;
  bool takesValue;
};
constexpr std::array kLongFlags = {LongFlag{"--std"sv, true},
                                   LongFlag{"--gpu-architecture"sv, true},
                                   LongFlag{"--gpu-code"sv, true},
                                   LongFlag{"--generate-code"sv, true},
                                   LongFlag{"--include-path"sv, true},
                                   LongFlag{"--define-macro"sv, true},
                                   LongFlag{"--undefine-macro"sv, true},
                                   LongFlag{"--system-include"sv, true},
                                   LongFlag{"--pre-include"sv, true},
                                   LongFlag{"--compiler-options"sv, true},
                                   LongFlag{"--compiler-bindir"sv, true},
                                   LongFlag{"--ptxas-options"sv, true},
                                   LongFlag{"--linker-options"sv, true},
                                   LongFlag{"--relocatable-device-code"sv, true},
                                   LongFlag{"--maxrregcount"sv, true},
                                   LongFlag{"--optimize"sv, true},
                                   LongFlag{"--library"sv, true},
                                   LongFlag{"--library-path"sv, true},
                                   LongFlag{"--threads"sv, true},
                                   LongFlag{"--ftz"sv, true},
                                   LongFlag{"--fmad"sv, true},
                                   LongFlag{"--prec-div"sv, true},
                                   LongFlag{"--prec-sqrt"sv, true},
                                   LongFlag{"--diag-suppress"sv, true},
                                   LongFlag{"--cudart"sv, true},
                                   LongFlag{"--default-stream"sv, true},
                                   LongFlag{"--use_fast_math"sv, false},
                                   LongFlag{"--expt-relaxed-constexpr"sv, false},
                                   LongFlag{"--expt-extended-lambda"sv, false},
                                   LongFlag{"--extended-lambda"sv, false},
                                   LongFlag{"--generate-line-info"sv, false},
                                   LongFlag{"--device-debug"sv, false},
                                   LongFlag{"--debug"sv, false},
                                   LongFlag{"--device-c"sv, false},
                                   LongFlag{"--keep"sv, false},
                                   LongFlag{"--verbose"sv, false},
                                   LongFlag{"--restrict"sv, false},
                                   LongFlag{"--disable-warnings"sv, false},
                                   LongFlag{"--forward-unknown-to-host-compiler"sv, false}};

bool isOwnOption(const CLI::App &parser, const std::string &word) {
  return parser.get_option_no_throw(word.substr(0, word.find('='))) != nullptr;
}

bool isKnownLongFlag(std::string_view name) {
  return std::any_of(kLongFlags.begin(), kLongFlags.end(),
                     [&](const LongFlag &flag) { return flag.name == name; });
}

bool takesNextWord(std::string_view word) {
  if (std::find(kValueFlags.begin(), kValueFlags.end(), word) != kValueFlags.end())
    return true;
  return std::any_of(kLongFlags.begin(), kLongFlags.end(),
                     [&](const LongFlag &flag) { return flag.takesValue && flag.name == word; });
}

} // namespace

Result<SplitWords> splitWords(const Command &command, const std::vector<std::string> &words) {
  SplitWords split;
  auto end = words.end();
  if (command.takesProgramArguments) {
    end = std::find(words.begin(), words.end(), "--");
    if (end != words.end())
      split.forwarded.programArguments.assign(end + 1, words.end());
  }
  for (auto word = words.begin(); word != end; ++word) {
    if (!command.takesCompilerFlags || word->size() < 2 || word->front() != '-') {
      split.own.push_back(*word);
      continue;
    }
    if (isOwnOption(*command.parser, *word)) {
      const CLI::Option *option =
          command.parser->get_option_no_throw(word->substr(0, word->find('=')));
      const bool valueFollows =
          option->get_items_expected_max() > 0 && word->find('=') == std::string::npos;
      split.own.push_back(*word);
      if (valueFollows && word + 1 != end)
        split.own.push_back(*++word);
      continue;
    }
    if (word->starts_with("--") && !isKnownLongFlag(word->substr(0, word->find('='))))
      return fail(Code::InvalidCommandLine,
                  fmt::format("unknown option '{}'; '{} --help' lists the options", *word,
                              command.parser->get_name()));
    split.forwarded.compilerFlags.push_back(*word);
    if (takesNextWord(*word) && word + 1 != end)
      split.forwarded.compilerFlags.push_back(*++word);
  }
  return split;
}

} // namespace relayout::tool
