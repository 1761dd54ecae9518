// SPDX-License-Identifier: Apache-2.0
// How the generated header calls things, derived from the record's name alone.
#include "header/own_names.h"
#include "relayout/base/name_words.h"
#include "relayout/rewriter/header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace relayout::rewriter {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

} // namespace

GeneratedNames namesFor(const RecordShape &shape, const std::string &kind) {
  GeneratedNames names;
  std::vector<std::string> all = wordsOf(shape.name);
  for (const std::string &word : wordsOf(kind))
    all.push_back(word);
  names.stem = joinedWords(all);
  names.lowerStem = lower(names.stem.front()) + names.stem.substr(1);
  names.view = names.stem + "View";
  names.constView = "Const" + names.stem + "View";
  names.allocate = names.lowerStem + "Malloc";
  names.release = names.lowerStem + "Free";
  names.copy = names.lowerStem + "Memcpy";
  names.set = names.lowerStem + "Memset";
  names.convert = names.lowerStem + "Convert";
  names.array = names.stem + "Array";
  names.load = nameBesideFields("load", shape);
  names.store = nameBesideFields("store", shape);
  names.allocation = nameBesideFields("allocation", shape);
  names.file = fmt::format("{}_layout.h", fmt::join(all, "_"));
  return names;
}

std::string qualifiedName(const RecordShape &shape) {
  return fmt::format("{}::{}", fmt::join(shape.namespaces, "::"), shape.name);
}

std::string fileInNamespace(const RecordShape &shape, const GeneratedNames &names) {
  std::string file;
  for (const std::string &space : shape.namespaces)
    for (const std::string &word : wordsOf(space))
      file += word + "_";
  return file + names.file;
}

std::string GeneratedNames::functionFor(std::string_view cudaName) const {
  return lowerStem + std::string(cudaName.substr(std::string_view("cuda").size()));
}

std::string GeneratedNames::hostFunctionFor(std::string_view name) const {
  return lowerStem + "Host" + upper(name.front()) + std::string(name.substr(1));
}

std::string GeneratedNames::deviceFunctionFor(std::string_view name) const {
  return lowerStem + "Device" + upper(name.front()) + std::string(name.substr(1));
}

std::vector<std::string> GeneratedNames::identifiers(const analysis::Layout &layout) const {
  std::vector<std::string> result = {
      view, constView, stem + "Storage", stem + "Members", stem + "MembersStorage", filler()};
  for (const std::string &function : {allocate, release, copy, set, convert}) {
    result.push_back(function);
    result.push_back(function + "Async");
  }
  for (const char *function : {"Pack",
                               "Unpack",
                               "Blocks",
                               "MallocManaged",
                               "MallocHost",
                               "HostAlloc",
                               "FreeHost",
                               "HostGetDevicePointer",
                               "MemPrefetchAsync",
                               "MemAdvise",
                               "HostMemcpy",
                               "HostMemset",
                               "DeviceMemcpy",
                               "DeviceMemset",
                               "MemcpyToSymbol",
                               "MemcpyToSymbolAsync",
                               "MemcpyFromSymbol",
                               "MemcpyFromSymbolAsync",
                               "GetSymbolAddress",
                               "GetSymbolSize"})
    result.push_back(lowerStem + function);
  if (layout.tile != 0 || !layout.order.isAsNumbered())
    result.push_back(lowerStem + "Fill");
  if (!layout.order.isAsNumbered()) {
    result.push_back(stem + "Tiles");
    for (const char *row : {"Row", "Rows2", "Rows3", "Rows4"})
      result.push_back(stem + row);
  }
  if (!layout.order.texts.empty())
    result.push_back(stem + "Extent");
  for (std::size_t c = 0; c < layout.clusters.size(); ++c) {
    result.push_back(fmt::format("{}Cluster{}", stem, c));
    result.push_back(fmt::format("{}Cluster{}Storage", stem, c));
    for (const std::uint32_t field : layout.clusters[c].fields)
      result.push_back(fmt::format("{}Part{}", stem, field));
  }
  return result;
}

} // namespace relayout::rewriter
