// SPDX-License-Identifier: Apache-2.0
// Joins what may be one span, and looks at what each of the sets leads to.
#include "structs/span_sides.h"

namespace relayout::instrument {

void SpanSides::add(ParsedUnit &unit, const ArrayFlow &flow, const clang::CXXRecordDecl &element) {
  uses_.emplace_back(&unit, spanUses(unit, flow, element));
  for (const auto &[a, b] : uses_.back().second.joins)
    join(a, b);
}

std::string SpanSides::rootOf(std::string object) const {
  for (auto parent = parents_.find(object); parent != parents_.end();
       parent = parents_.find(object))
    object = parent->second;
  return object;
}

void SpanSides::join(const std::string &a, const std::string &b) {
  const std::string from = rootOf(a), into = rootOf(b);
  if (from != into)
    parents_[from] = into;
}

void SpanSides::decide(const std::vector<ArrayFlow> &flows) {
  std::set<std::string> spans; // roots that are more than pointers
  for (const auto &[unit, uses] : uses_)
    for (const SpanMention &mention : uses.mentions)
      spans.insert(rootOf(mention.object));
  std::map<std::string, SourcePlace> other;
  const auto addDevice = [&](const std::string &object, const SourcePlace &where) {
    if (!spans.contains(rootOf(object)))
      return;
    device_.insert(rootOf(object));
    if (!place_)
      place_ = where;
  };
  for (const auto &[unit, uses] : uses_) {
    for (const auto &[object, where] : uses.device)
      addDevice(object, unit->place(where));
    for (const auto &[object, where] : uses.other)
      other.insert({rootOf(object), unit->place(where)});
  }
  for (std::size_t g = 0; !flows.empty() && g < flows.front().groups().size(); ++g) {
    const ArrayGroup &group = flows.front().groups()[g];
    const std::string object = spanObjectOf(static_cast<std::uint32_t>(g));
    const Origins &origins = group.origins;
    if (origins.device || origins.managed || origins.pinned)
      addDevice(object, group.place);
    else if (origins.host || origins.local || origins.shared || origins.symbol)
      other.insert(
          {rootOf(object), group.hostMemory.empty() ? group.place : group.hostMemory.front()});
  }
  for (const std::string &root : device_)
    if (const auto own = other.find(root); own != other.end())
      refuse("a span that may lead to them is also made from other memory than CUDA's",
             own->second);
  for (const auto &[unit, uses] : uses_)
    for (const SpanUses::Obstacle &obstacle : uses.obstacles)
      if (obstacle.object.empty() ? hasDeviceSpans() : isDevice(obstacle.object))
        refuse(obstacle.what, unit->place(obstacle.where));
}

} // namespace relayout::instrument
