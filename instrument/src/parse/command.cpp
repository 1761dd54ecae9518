// SPDX-License-Identifier: Apache-2.0
// Translates nvcc's command line to what a Clang parse needs of it.
#include "relayout/instrument/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace relayout::instrument {
namespace {

using Words = std::vector<std::string>;

/// What the preprocessor sees: kept. nvcc writes the value glued, behind '=' or as the next word.
struct KeptFlag {
  std::string_view name; ///< Clang's spelling
  std::string_view longName;
  bool isList; ///< nvcc splits the value at commas
};
constexpr auto kKept = std::to_array<KeptFlag>({{"-isystem", "--system-include", true},
                                                {"-iquote", "", false},
                                                {"-idirafter", "", false},
                                                {"-imacros", "", false},
                                                {"-include", "--pre-include", true},
                                                {"-I", "--include-path", true},
                                                {"-D", "--define-macro", false},
                                                {"-U", "--undefine-macro", false}});

/// Flags without meaning here whose value may be the next word, which must go with them.
constexpr std::string_view kDroppedWithValue[] = {"-o",
                                                  "--output-file",
                                                  "-odir",
                                                  "--output-directory",
                                                  "-arch",
                                                  "--gpu-architecture",
                                                  "-code",
                                                  "--gpu-code",
                                                  "-gencode",
                                                  "--generate-code",
                                                  "-ccbin",
                                                  "--compiler-bindir",
                                                  "-Xlinker",
                                                  "--linker-options",
                                                  "-Xptxas",
                                                  "--ptxas-options",
                                                  "-Xnvlink",
                                                  "--nvlink-options",
                                                  "-Xarchive",
                                                  "--archive-options",
                                                  "-Xcudafe",
                                                  "-Xfatbin",
                                                  "-maxrregcount",
                                                  "--maxrregcount",
                                                  "-L",
                                                  "--library-path",
                                                  "-l",
                                                  "--library",
                                                  "-rdc",
                                                  "--relocatable-device-code",
                                                  "-t",
                                                  "--threads",
                                                  "-x",
                                                  "--x",
                                                  "-MF",
                                                  "-MT",
                                                  "-MQ",
                                                  "--dependency-output",
                                                  "--dependency-target-name",
                                                  "-O",
                                                  "--optimize",
                                                  "-ftz",
                                                  "--ftz",
                                                  "-prec-div",
                                                  "--prec-div",
                                                  "-prec-sqrt",
                                                  "--prec-sqrt",
                                                  "-fmad",
                                                  "--fmad",
                                                  "-cudart",
                                                  "--cudart",
                                                  "-cudadevrt",
                                                  "--cudadevrt",
                                                  "-m",
                                                  "--machine",
                                                  "-diag-suppress",
                                                  "--diag-suppress",
                                                  "-diag-error",
                                                  "--diag-error",
                                                  "-diag-warn",
                                                  "--diag-warn",
                                                  "-Werror",
                                                  "--Werror",
                                                  "-default-stream",
                                                  "--default-stream",
                                                  "-split-compile",
                                                  "--split-compile",
                                                  "-time",
                                                  "--time",
                                                  "-dopt",
                                                  "--dopt",
                                                  "-optf",
                                                  "--options-file",
                                                  "-keep-dir",
                                                  "--keep-dir",
                                                  "-idp",
                                                  "--input-drive-prefix",
                                                  "-ldir",
                                                  "--libdevice-directory",
                                                  "-target-dir",
                                                  "--target-directory",
                                                  "-aug-hls",
                                                  "--cuda-gpu-arch",
                                                  "--cuda-path"};

/// The value of `flag` if it is spelled `name=value`.
std::optional<std::string_view> valueAfterEquals(std::string_view flag, std::string_view name) {
  if (flag.size() > name.size() && flag.starts_with(name) && flag[name.size()] == '=')
    return flag.substr(name.size() + 1);
  return std::nullopt;
}

Words splitList(std::string_view list) {
  Words parts;
  while (true) {
    const std::size_t comma = list.find(',');
    if (const std::string_view part = list.substr(0, comma); !part.empty())
      parts.emplace_back(part);
    if (comma == std::string_view::npos)
      return parts;
    list.remove_prefix(comma + 1);
  }
}

class Translator {
public:
  Words run(const Words &flags) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      next_ = i + 1 < flags.size() ? &flags[i + 1] : nullptr;
      tookNext_ = false;
      translate(flags[i]);
      i += tookNext_;
    }
    return std::move(kept_);
  }

private:
  std::string takeNext() {
    tookNext_ = next_ != nullptr;
    return next_ ? *next_ : std::string();
  }

  void translate(std::string_view flag) {
    for (const std::string_view name : {"-std", "--std"})
      if (const auto value = valueOf(flag, name))
        return keepStandard(*value);
    for (const std::string_view name : {"-Xcompiler", "--compiler-options"})
      if (const auto value = valueOf(flag, name))
        return keepHostFlags(*value);
    for (const std::string_view name : kDroppedWithValue)
      if (flag == name) {
        takeNext();
        return;
      }
    if (isMachineFlag(flag))
      return kept_.emplace_back(flag), void();
    for (const KeptFlag &known : kKept)
      if (keep(flag, known))
        return;
  }

  /// `name value` or `name=value`.
  std::optional<std::string> valueOf(std::string_view flag, std::string_view name) {
    if (flag == name)
      return takeNext();
    if (const auto value = valueAfterEquals(flag, name))
      return std::string(*value);
    return std::nullopt;
  }

  bool keep(std::string_view flag, const KeptFlag &known) {
    std::optional<std::string> value;
    if (!known.longName.empty())
      value = valueOf(flag, known.longName);
    if (!value)
      value = valueOf(flag, known.name);
    if (!value && flag.starts_with(known.name))
      value = std::string(flag.substr(known.name.size()));
    if (!value)
      return false;
    for (std::string &part : known.isList ? splitList(*value) : Words{*value}) {
      kept_.emplace_back(known.name);
      kept_.push_back(std::move(part));
    }
    return true;
  }

  /// The CUDA headers need C++17, and a program in an older dialect is one in that, too. GNU's, as
  /// nvcc takes `typeof` in every one.
  void keepStandard(const std::string &standard) {
    const std::size_t plus = standard.rfind('+');
    const std::string year = plus == std::string::npos ? standard : standard.substr(plus + 1);
    for (const std::string_view old : {"98", "03", "11", "0x", "14", "1y", "17", "1z"})
      if (year == old)
        return;
    kept_.push_back("-std=" + (plus == std::string::npos ? standard : "gnu++" + year));
  }

  /// Of what goes to the host compiler, the part that changes what is parsed.
  void keepHostFlags(const std::string &list) {
    for (const std::string &flag : splitList(list)) {
      if (isMachineFlag(flag))
        kept_.push_back(flag);
      for (const std::string_view name : {"-D", "-U", "-I"})
        if (flag.starts_with(name) && flag.size() > name.size()) {
          kept_.emplace_back(name);
          kept_.push_back(flag.substr(name.size()));
        }
    }
  }

  /// What the host's processor can do, without which its intrinsics do not compile.
  static bool isMachineFlag(std::string_view flag) {
    constexpr std::string_view kNames[] = {"-march=", "-mtune=", "-mcpu=",  "-mavx", "-msse",
                                           "-mssse",  "-mfma",   "-mf16c",  "-mbmi", "-mpopcnt",
                                           "-mlzcnt", "-maes",   "-mpclmul"};
    return std::ranges::any_of(kNames,
                               [&](std::string_view name) { return flag.starts_with(name); });
  }

  Words kept_;
  const std::string *next_ = nullptr;
  bool tookNext_ = false;
};

} // namespace

std::string shortList(const std::vector<std::string> &files) {
  constexpr std::size_t kNamedFiles = 3;
  if (files.size() <= kNamedFiles)
    return fmt::format("{}", fmt::join(files, " "));
  return fmt::format("{} and {} more", files.front(), files.size() - 1);
}

Language languageOf(const std::string &file, const std::vector<std::string> &flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::string_view named;
    if ((flags[i] == "-x" || flags[i] == "--x") && i + 1 < flags.size())
      named = flags[i + 1];
    else if (flags[i].starts_with("-x") && !flags[i].starts_with("-x="))
      named = std::string_view(flags[i]).substr(2);
    else if (const auto value = valueAfterEquals(flags[i], "-x"))
      named = *value;
    if (named == "cu" || named == "cuda")
      return Language::Cuda;
    if (named == "c++")
      return Language::Cxx;
    if (named == "c")
      return Language::C;
  }
  const std::string_view ending =
      std::string_view(file).substr(std::min(file.rfind('.'), file.size()));
  for (const std::string_view host : {".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP"})
    if (ending == host)
      return Language::Cxx;
  return ending == ".c" ? Language::C : Language::Cuda;
}

Program programOf(const std::vector<std::string> &files, const std::vector<std::string> &flags,
                  const HeaderFolders &headers) {
  Program program;
  for (const std::string &file : files) {
    CompileCommand &unit = program.units.emplace_back(
        CompileCommand{file, flags, headers.cuda, languageOf(file, flags)});
    unit.cccl = headers.cccl;
  }
  return program;
}

std::vector<std::string> toClangFlags(const std::vector<std::string> &nvccFlags) {
  return Translator().run(nvccFlags);
}

namespace {

/// Builds name the toolkit's headers, which nvcc finds by itself. They would stand before ours.
void dropToolkitFolders(Words &flags) {
  for (std::size_t i = 0; i + 1 < flags.size();) {
    const bool isFolder = flags[i] == "-I" || flags[i] == "-isystem" || flags[i] == "-iquote" ||
                          flags[i] == "-idirafter";
    std::error_code status;
    if (isFolder &&
        std::filesystem::exists(std::filesystem::path(flags[i + 1]) / "cuda_runtime_api.h", status))
      flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(i),
                  flags.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    else
      ++i;
  }
}

} // namespace

std::vector<std::string> languageFlags(const CompileCommand &unit) {
  std::vector<std::string> flags = toClangFlags(unit.flags);
  if (unit.cudaToolkit.empty())
    dropToolkitFolders(flags);
  if (unit.language != Language::C) // nvcc and GCC warn of these at most
    flags.insert(flags.end(), {"-Wno-register", "-Wno-return-type", "-Wno-return-mismatch",
                               "-Wno-reserved-user-defined-literal", "-Wno-c++11-narrowing",
                               "-Wno-non-pod-varargs"});
  // nvcc's own, which programs that several compilers take ask for before they use the keywords.
  // Not with the toolkit's headers: these say by it that Clang's wrappers are not there.
  if (unit.language == Language::Cuda && unit.cudaToolkit.empty())
    flags.emplace_back("-D__NVCC__=1");
  if (unit.language == Language::C) {
    std::erase_if(flags, [](const std::string &flag) {
      return flag.starts_with("-std=c++") || flag.starts_with("-std=gnu++");
    });
    // What compilers of C warned of for decades; Clang takes it for errors.
    flags.insert(flags.end(), {"-Wno-implicit-function-declaration", "-Wno-implicit-int",
                               "-Wno-int-conversion", "-Wno-incompatible-pointer-types",
                               "-Wno-incompatible-function-pointer-types", "-Wno-return-mismatch"});
  }
  return flags;
}

std::vector<std::string> linkFlagsOf(const std::vector<std::string> &flags) {
  Words kept;
  const auto keepHost = [&](std::string_view list) {
    for (std::string &flag : splitList(list))
      if (flag.starts_with("-fopenmp") || flag == "-pthread")
        kept.push_back(std::move(flag));
  };
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string &flag = flags[i];
    const bool hasNext = i + 1 < flags.size();
    if (const auto list = valueAfterEquals(flag, "-Xcompiler"))
      keepHost(*list);
    else if (const auto options = valueAfterEquals(flag, "--compiler-options"))
      keepHost(*options);
    else if ((flag == "-Xcompiler" || flag == "--compiler-options") && hasNext)
      keepHost(flags[++i]);
    else if ((flag == "-l" || flag == "-L" || flag == "--library" || flag == "--library-path") &&
             hasNext)
      kept.push_back((flag.ends_with("-L") || flag.ends_with("path") ? "-L" : "-l") + flags[++i]);
    else if (const auto path = valueAfterEquals(flag, "--library-path"))
      kept.push_back(fmt::format("-L{}", *path));
    else if (const auto library = valueAfterEquals(flag, "--library"))
      kept.push_back(fmt::format("-l{}", *library));
    else if (flag.starts_with("-l") || (flag.starts_with("-L") && flag.size() > 2))
      kept.push_back(flag);
    else
      keepHost(flag);
  }
  // What only nvcc's own programs link.
  std::erase_if(kept, [](const std::string &flag) {
    return flag.starts_with("-lcuda") || flag == "-lnvToolsExt" || flag.starts_with("-line") ||
           flag == "-ldir";
  });
  return kept;
}

FloatMath floatMathOf(const std::vector<std::string> &nvccFlags) {
  bool isFast = false;
  std::optional<bool> divisions, roots;
  for (std::size_t i = 0; i < nvccFlags.size(); ++i) {
    std::string flag = nvccFlags[i];
    const bool takesNext =
        std::ranges::find(kDroppedWithValue, flag) != std::end(kDroppedWithValue) ||
        flag == "-Xcompiler" || flag == "--compiler-options";
    if (takesNext && i + 1 < nvccFlags.size())
      flag += "=" + nvccFlags[++i];
    // nvcc takes its long names behind one dash as well.
    flag.erase(0, flag.starts_with("--") ? 1 : 0);
    if (flag == "-use_fast_math")
      isFast = true;
    else if (const auto exact = valueAfterEquals(flag, "-prec-div"))
      divisions = *exact != "false";
    else if (const auto root = valueAfterEquals(flag, "-prec-sqrt"))
      roots = *root != "false";
  }
  return {divisions.value_or(!isFast), roots.value_or(!isFast), !isFast};
}

} // namespace relayout::instrument
