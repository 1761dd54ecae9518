// SPDX-License-Identifier: Apache-2.0
// Follows calls from the code around these functions into each version of their callers.
#include "structs/function_versions.h"

#include <cctype>
#include <tuple>

namespace relayout::instrument {

OtherParameters versionMeantBy(const NamedCall &call, const OtherParameters &callers,
                               const SharedFunctions &functions) {
  OtherParameters other;
  const SharedFunction &callee = functions.at(call.callee);
  for (const auto &[i, argument] : call.arguments) {
    if (!callee.isToldBy(i))
      continue;
    GivenMemory given = argument.memory;
    for (const auto &[name, of] : argument.parameters) {
      const SharedFunction &function = functions.at(name);
      if (call.caller == name && function.isToldBy(of))
        given.add(callers.contains(of) ? GivenMemory{false, true} : GivenMemory{true, false});
      else if (const auto known = function.givenTo.find(of); known != function.givenTo.end())
        given.add(known->second);
    }
    if (given.other && !given.cuda)
      other.insert(i);
  }
  return other;
}

const std::string &suffixMeantBy(const NamedCall &call, const OtherParameters &callers,
                                 const SharedFunctions &functions) {
  return std::ranges::find(functions.at(call.callee).versions,
                           versionMeantBy(call, callers, functions), &FunctionVersion::other)
      ->suffix;
}

const std::string &suffixAt(const NamedCall &call, const SharedFunctions &functions) {
  return suffixMeantBy(
      call, call.caller ? functions.at(*call.caller).versions.front().other : OtherParameters(),
      functions);
}

namespace {

/// Of one function: more would be no help to its readers.
constexpr std::size_t kMostVersions = 8;

class VersionFinder {
public:
  VersionFinder(SharedFunctions &functions, const NamedCalls &calls)
      : functions_(functions), calls_(calls) {
    for (const auto &[place, call] : calls)
      if (call.caller)
        callsIn_[*call.caller].push_back(&call);
  }

  void find() {
    while (!reachAll())
      ;
    for (auto &[symbol, function] : functions_) {
      for (const OtherParameters &other : reached_.at(symbol))
        function.versions.push_back({other, {}, false});
      std::ranges::stable_sort(function.versions, {},
                               [](const FunctionVersion &version) { return version.other.size(); });
    }
    for (auto &[symbol, function] : functions_)
      function.versions.front().isOnDevice = function.isOfDevice;
    for (const auto &[place, call] : calls_)
      if (!call.caller && call.isInDeviceCode)
        putOnDevice(call, {});
    for (auto &[symbol, function] : functions_)
      if (function.isOfDevice)
        putCallsOnDevice(symbol, function.versions.front().other);
  }

private:
  /// \returns  false where a function turned out to have too many versions
  bool reachAll() {
    reached_.clear();
    for (const auto &[place, call] : calls_)
      if (!call.caller)
        reach(call.callee, versionMeantBy(call, {}, functions_));
    for (const auto &[symbol, function] : functions_)
      if (reached_[symbol].empty()) // nothing calls it
        reach(symbol, {});
    bool isWithinBounds = true;
    for (auto &[symbol, function] : functions_)
      if (reached_[symbol].size() > kMostVersions) {
        function.obstacle = "it would be more than eight functions";
        function.obstaclePlace = function.place;
        isWithinBounds = false;
      }
    return isWithinBounds;
  }

  void reach(const std::string &symbol, const OtherParameters &other) {
    if (reached_[symbol].insert(other).second)
      for (const NamedCall *call : callsIn_[symbol])
        reach(call->callee, versionMeantBy(*call, other, functions_));
  }

  void putOnDevice(const NamedCall &call, const OtherParameters &callers) {
    SharedFunction &callee = functions_.at(call.callee);
    const OtherParameters other = versionMeantBy(call, callers, functions_);
    FunctionVersion &version = *std::ranges::find(callee.versions, other, &FunctionVersion::other);
    if (version.isOnDevice)
      return;
    version.isOnDevice = true;
    putCallsOnDevice(call.callee, other);
  }

  void putCallsOnDevice(const std::string &symbol, const OtherParameters &other) {
    for (const NamedCall *call : callsIn_[symbol])
      putOnDevice(*call, other);
  }

  SharedFunctions &functions_;
  const NamedCalls &calls_;
  std::map<std::string, std::vector<const NamedCall *>> callsIn_;
  std::map<std::string, std::set<OtherParameters>> reached_;
};

bool isSnakeCase(const std::string &name) {
  return std::ranges::none_of(name, [](unsigned char c) { return std::isupper(c) != 0; });
}

/// `Host`, or `LocalTo` where other copies are given other memory by other parameters.
std::string suffixFor(const SharedFunction &function, const FunctionVersion &version) {
  const bool isSnake = isSnakeCase(function.name);
  std::string suffix = version.isOnDevice ? "Local" : "Host";
  if (isSnake)
    suffix = version.isOnDevice ? "_local" : "_host";
  const auto told = std::ranges::count_if(
      function.parameters, [&](const auto &entry) { return function.isToldBy(entry.first); });
  if (function.versions.size() <= 2 || static_cast<std::size_t>(told) == version.other.size())
    return suffix;
  for (const unsigned i : version.other) {
    std::string name = function.parameters.at(i);
    if (!isSnake && !name.empty())
      name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    suffix += (isSnake ? "_" : "") + (name.empty() ? std::to_string(i) : name);
  }
  return suffix;
}

} // namespace

void decideVersions(SharedFunctions &functions, const NamedCalls &calls,
                    const std::function<bool(const std::string &)> &isKnownName) {
  VersionFinder(functions, calls).find();
  for (auto &[symbol, function] : functions) {
    std::set<std::string> used;
    for (FunctionVersion &version : function.versions) {
      if (&version == &function.versions.front())
        continue;
      const std::string wanted = suffixFor(function, version);
      version.suffix = wanted;
      for (int number = 2;
           used.contains(version.suffix) || isKnownName(function.name + version.suffix); ++number)
        version.suffix = wanted + std::to_string(number);
      used.insert(version.suffix);
    }
  }
}

} // namespace relayout::instrument
