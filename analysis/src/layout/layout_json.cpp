// SPDX-License-Identifier: Apache-2.0
// Layouts to and from JSON.
#include "layout/layout_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

/// More than any memory has.
constexpr std::uint64_t kMostBytes = 1ull << 48;
/// That a digit's extent is rounded up to.
constexpr std::uint64_t kMostPlaces = 1u << 20;

std::uint32_t alignmentFrom(const JsonValue &value) {
  const auto alignment = static_cast<std::uint32_t>(value.count(1u << 20, Code::InvalidPlan));
  if (alignment != 0 && !std::has_single_bit(alignment))
    value.fail(fmt::format("of {} bytes is not a power of two", alignment), Code::InvalidPlan);
  return alignment;
}

/// A record's name and its fields'.
struct NamedRecord {
  const std::string &name;
  const std::vector<std::string> &fields;
};

/// \param seen  by field; set for those of the cluster
Cluster clusterFrom(const JsonValue &json, const NamedRecord &record, std::vector<bool> &seen) {
  Cluster cluster;
  cluster.alignment = alignmentFrom(json.at("alignment"));
  const auto exploded = json.find("exploded");
  cluster.exploded = exploded && exploded->flag();
  for (const std::string &name : json.at("fields").texts()) {
    const auto found = std::ranges::find(record.fields, name);
    if (found == record.fields.end())
      failLayout(fmt::format("'{}' has no field '{}'", record.name, name));
    const auto index = static_cast<std::uint32_t>(found - record.fields.begin());
    if (seen[index])
      failLayout(fmt::format("field '{}' of '{}' is in the layout twice", name, record.name));
    seen[index] = true;
    cluster.fields.push_back(index);
  }
  if (cluster.fields.empty())
    failLayout(fmt::format("a cluster of '{}' has no fields", record.name));
  return cluster;
}

ElementOrder orderFrom(const JsonValue &json) {
  ElementOrder order;
  for (const JsonValue &extent : json.at("extents").list())
    order.extents.push_back(extent.count(kMostBytes, Code::InvalidPlan));
  for (const JsonValue &digit : json.at("digits").list())
    order.digits.push_back(
        static_cast<std::uint32_t>(digit.count(order.extents.size(), Code::InvalidPlan)));
  if (const auto texts = json.find("texts"))
    order.texts = texts->texts();
  if (const auto multiples = json.find("multiples"))
    for (const JsonValue &multiple : multiples->list())
      order.multiples.push_back(
          static_cast<std::uint32_t>(multiple.count(kMostPlaces, Code::InvalidPlan)));
  if (const Result<ElementPlaces> bound = ElementPlaces::bind(order, 1); !bound)
    json.fail(bound.error().text, Code::InvalidPlan);
  return order;
}

} // namespace

void failLayout(const std::string &what) { throw JsonMismatch{what, Code::InvalidPlan}; }

Json toJson(const Layout &layout, const std::vector<std::string> &fields) {
  Json clusters = Json::array();
  for (const Cluster &cluster : layout.clusters) {
    Json names = Json::array();
    for (const std::uint32_t field : cluster.fields)
      names.push_back(fields.at(field));
    Json row{{"fields", std::move(names)}, {"alignment", cluster.alignment}};
    if (cluster.exploded)
      row["exploded"] = true;
    clusters.push_back(std::move(row));
  }
  Json json{{"clusters", std::move(clusters)},
            {"tile", layout.tile},
            {"padBytes", layout.padBytes},
            {"startAlignment", layout.startAlignment}};
  if (!layout.order.isAsNumbered()) {
    Json &order = json["order"] = {{"extents", layout.order.extents},
                                   {"texts", layout.order.texts},
                                   {"digits", layout.order.digits}};
    if (!layout.order.multiples.empty())
      order["multiples"] = layout.order.multiples;
  }
  return json;
}

Layout layoutFrom(const JsonValue &json, const std::string &record,
                  const std::vector<std::string> &fields) {
  Layout layout;
  layout.tile = json.at("tile").count(kMostBytes, Code::InvalidPlan);
  layout.padBytes = json.at("padBytes").count(kMostBytes, Code::InvalidPlan);
  layout.startAlignment = alignmentFrom(json.at("startAlignment"));
  std::vector<bool> seen(fields.size(), false);
  if (const auto order = json.find("order"))
    layout.order = orderFrom(*order);
  for (const JsonValue &row : json.at("clusters").list())
    layout.clusters.push_back(clusterFrom(row, {record, fields}, seen));
  return layout;
}

} // namespace relayout::analysis
