// SPDX-License-Identifier: Apache-2.0
// The site table as JSON, as the instrumenter writes it and every trace carries it.
#include "relayout/trace/site_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "relayout-sites";
constexpr int kVersion = 1;

/// Thrown inside this file only, caught at its door.
struct Malformed {
  std::string what;
};

Json toJson(const SourcePlace &place) {
  return Json{{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json indexToJson(Index index) { return index == kNone ? Json(nullptr) : Json(index); }

std::uint32_t number(const Json &json, const char *key) {
  const Json &value = json.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 0xffffffffu)
    throw Malformed{fmt::format("'{}' is no 32-bit count", key)};
  return value.get<std::uint32_t>();
}

std::string text(const Json &json, const char *key) { return json.at(key).get<std::string>(); }

/// Traces of before it was estimated have none.
double operationsFrom(const Json &row) {
  const auto value = row.find("operations");
  if (value == row.end())
    return 0;
  if (!value->is_number() || value->get<double>() < 0)
    throw Malformed{"'operations' is no count"};
  return value->get<double>();
}

/// 0 in traces of before it was told.
std::uint32_t numberIfThere(const Json &row, const char *key) {
  return row.contains(key) ? number(row, key) : 0;
}

SourcePlace placeFrom(const Json &json) {
  const Json &place = json.at("place");
  return {text(place, "file"), number(place, "line"), number(place, "column")};
}

/// An index below `size`, or null for kNone where that is allowed.
enum class None { Allowed, Forbidden };
Index indexFrom(const Json &json, const char *key, std::size_t size, None none) {
  if (json.at(key).is_null()) {
    if (none == None::Forbidden)
      throw Malformed{fmt::format("'{}' is missing", key)};
    return kNone;
  }
  const std::uint32_t index = number(json, key);
  if (index >= size)
    throw Malformed{fmt::format("'{}' is {}, with {} entries to point into", key, index, size)};
  return index;
}

const Json &array(const Json &json, const char *key) {
  const Json &value = json.at(key);
  if (!value.is_array())
    throw Malformed{fmt::format("'{}' is no array", key)};
  return value;
}

AccessKind kindFrom(const Json &json) {
  const std::string name = text(json, "kind");
  for (const AccessKind kind : {AccessKind::Read, AccessKind::Write, AccessKind::Atomic})
    if (name == accessKindName(kind))
      return kind;
  throw Malformed{fmt::format("'{}' is no kind of access", name)};
}

Record recordFrom(const Json &json) {
  Record record;
  record.name = text(json, "name");
  record.place = placeFrom(json);
  record.bytes = number(json, "bytes");
  record.alignment = number(json, "alignment");
  for (const Json &row : array(json, "fields")) {
    Field field;
    field.name = text(row, "name");
    field.type = text(row, "type");
    field.extents = text(row, "extents");
    field.offset = number(row, "offset");
    field.bytes = number(row, "bytes");
    field.alignment = number(row, "alignment");
    field.count = number(row, "count");
    if (field.bytes > record.bytes || field.offset > record.bytes - field.bytes)
      throw Malformed{
          fmt::format("field '{}' of '{}' lies outside its record", field.name, record.name)};
    record.fields.push_back(std::move(field));
  }
  return record;
}

SiteTable tableFrom(const Json &json) {
  if (text(json, "format") != kFormat)
    throw Malformed{"its 'format' is another"};
  if (number(json, "version") != kVersion)
    throw Malformed{fmt::format("it is of version {}; this program reads version {}",
                                number(json, "version"), kVersion)};
  SiteTable table;
  table.sourceFile = text(json, "sourceFile");
  table.sourceDigest = text(json, "sourceDigest");
  for (const Json &row : array(json, "records"))
    table.records.push_back(recordFrom(row));
  for (const Json &row : array(json, "groups")) {
    Group group;
    group.record = indexFrom(row, "record", table.records.size(), None::Forbidden);
    group.arrays = array(row, "arrays").get<std::vector<std::string>>();
    group.place = placeFrom(row);
    table.groups.push_back(std::move(group));
  }
  const Json &loops = array(json, "loops");
  for (const Json &row : loops) {
    Loop loop;
    loop.id = number(row, "id");
    // A parent comes first, so walking up always ends.
    loop.parent = indexFrom(row, "parent", table.loops.size(), None::Allowed);
    loop.function = text(row, "function");
    loop.place = placeFrom(row);
    loop.operations = operationsFrom(row);
    loop.unrolled = numberIfThere(row, "unrolled");
    loop.isUnrolledWhole = row.value("isUnrolledWhole", false);
    table.loops.push_back(std::move(loop));
  }
  for (const Json &row : array(json, "sites")) {
    Site site;
    site.id = number(row, "id");
    if (!table.sites.empty() && site.id <= table.sites.back().id)
      throw Malformed{
          fmt::format("site {} does not follow site {}", site.id, table.sites.back().id)};
    site.kind = kindFrom(row);
    site.record = indexFrom(row, "record", table.records.size(), None::Allowed);
    site.group = indexFrom(row, "group", table.groups.size(), None::Allowed);
    if (site.group != kNone && table.groups[site.group].record != site.record)
      throw Malformed{fmt::format("site {} has the record of another group", site.id)};
    const std::size_t fields = site.record == kNone ? 0 : table.records[site.record].fields.size();
    site.field = indexFrom(row, "field", fields, None::Allowed);
    site.loop = indexFrom(row, "loop", table.loops.size(), None::Allowed);
    site.region = numberIfThere(row, "region");
    site.bytes = number(row, "bytes");
    site.function = text(row, "function");
    site.place = placeFrom(row);
    table.sites.push_back(std::move(site));
  }
  for (const Json &row : array(json, "kernels"))
    table.kernels.push_back(
        {text(row, "name"), placeFrom(row), operationsFrom(row), numberIfThere(row, "registers")});
  for (const Json &row : array(json, "reaches")) {
    Reach reach;
    reach.kernel = indexFrom(row, "kernel", table.kernels.size(), None::Forbidden);
    reach.site = indexFrom(row, "site", table.sites.size(), None::Forbidden);
    reach.loop = indexFrom(row, "loop", table.loops.size(), None::Allowed);
    table.reaches.push_back(reach);
  }
  return table;
}

} // namespace

std::optional<Index> findSite(const SiteTable &table, std::uint32_t id) {
  const auto found = std::ranges::lower_bound(table.sites, id, {}, &Site::id);
  if (found == table.sites.end() || found->id != id)
    return std::nullopt;
  return static_cast<Index>(found - table.sites.begin());
}

const char *accessKindName(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic";
  }
  return "unknown";
}

std::string toJson(const SiteTable &table) {
  Json json{{"format", kFormat},
            {"version", kVersion},
            {"sourceFile", table.sourceFile},
            {"sourceDigest", table.sourceDigest}};
  Json &records = json["records"] = Json::array();
  for (const Record &record : table.records) {
    Json fields = Json::array();
    for (const Field &field : record.fields)
      fields.push_back({{"name", field.name},
                        {"type", field.type},
                        {"extents", field.extents},
                        {"offset", field.offset},
                        {"bytes", field.bytes},
                        {"alignment", field.alignment},
                        {"count", field.count}});
    records.push_back({{"name", record.name},
                       {"place", toJson(record.place)},
                       {"bytes", record.bytes},
                       {"alignment", record.alignment},
                       {"fields", std::move(fields)}});
  }
  Json &groups = json["groups"] = Json::array();
  for (const Group &group : table.groups)
    groups.push_back({{"record", indexToJson(group.record)},
                      {"arrays", group.arrays},
                      {"place", toJson(group.place)}});
  Json &loops = json["loops"] = Json::array();
  for (const Loop &loop : table.loops)
    loops.push_back({{"id", loop.id},
                     {"parent", indexToJson(loop.parent)},
                     {"function", loop.function},
                     {"place", toJson(loop.place)},
                     {"operations", loop.operations},
                     {"unrolled", loop.unrolled},
                     {"isUnrolledWhole", loop.isUnrolledWhole}});
  Json &sites = json["sites"] = Json::array();
  for (const Site &site : table.sites)
    sites.push_back({{"id", site.id},
                     {"kind", accessKindName(site.kind)},
                     {"record", indexToJson(site.record)},
                     {"group", indexToJson(site.group)},
                     {"field", indexToJson(site.field)},
                     {"loop", indexToJson(site.loop)},
                     {"region", site.region},
                     {"bytes", site.bytes},
                     {"function", site.function},
                     {"place", toJson(site.place)}});
  Json &kernels = json["kernels"] = Json::array();
  for (const Kernel &kernel : table.kernels)
    kernels.push_back({{"name", kernel.name},
                       {"place", toJson(kernel.place)},
                       {"operations", kernel.operations},
                       {"registers", kernel.registers}});
  Json &reaches = json["reaches"] = Json::array();
  for (const Reach &reach : table.reaches)
    reaches.push_back({{"kernel", indexToJson(reach.kernel)},
                       {"site", indexToJson(reach.site)},
                       {"loop", indexToJson(reach.loop)}});
  // Paths are whatever bytes the system allows; what is no UTF-8 is replaced, not thrown over.
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<SiteTable> siteTableFromJson(std::string_view json) {
  try {
    return tableFrom(Json::parse(json));
  } catch (const Malformed &malformed) {
    return fail(Code::InvalidSiteTable, "this is no site table: " + malformed.what);
  } catch (const nlohmann::json::exception &exception) {
    return fail(Code::InvalidSiteTable, fmt::format("this is no site table: {}", exception.what()));
  }
}

} // namespace relayout::trace
