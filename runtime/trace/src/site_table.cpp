// SPDX-License-Identifier: Apache-2.0
// The site table as JSON, as the instrumenter writes it and every trace carries it.
#include "relayout/trace/site_table.h"

#include "code_facts.h"

#include "relayout/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace relayout::trace {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "relayout-sites";
constexpr std::uint32_t kVersion = 7;

Json toJson(const SourcePlace &place) {
  return Json{{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

std::uint32_t number(const JsonValue &json, const char *key) {
  return static_cast<std::uint32_t>(json.at(key).count(0xffffffffu));
}

SourcePlace placeFrom(const JsonValue &json) {
  const JsonValue place = json.at("place");
  return {place.at("file").text(), number(place, "line"), number(place, "column")};
}

/// An index below `size`, or null for kNone where that is allowed.
enum class None { Allowed, Forbidden };
Index indexFrom(const JsonValue &json, const char *key, std::size_t size, None none) {
  const JsonValue value = json.at(key);
  if (value.isNull() && none == None::Allowed)
    return kNone;
  const std::uint32_t index = number(json, key);
  if (index >= size)
    value.fail(fmt::format("is {}, with {} entries to point into", index, size));
  return index;
}

AccessKind kindFrom(const JsonValue &json) {
  const std::string &name = json.at("kind").text();
  for (const AccessKind kind : {AccessKind::Read, AccessKind::Write, AccessKind::Atomic})
    if (name == accessKindName(kind))
      return kind;
  json.at("kind").fail(fmt::format("'{}' is not a kind of access", name));
}

Record recordFrom(const JsonValue &json) {
  Record record;
  record.name = json.at("name").text();
  record.place = placeFrom(json);
  record.bytes = number(json, "bytes");
  record.alignment = number(json, "alignment");
  for (const JsonValue &row : json.at("fields").list()) {
    Field field;
    field.name = row.at("name").text();
    field.type = row.at("type").text();
    field.extents = row.at("extents").text();
    field.offset = number(row, "offset");
    field.bytes = number(row, "bytes");
    field.alignment = number(row, "alignment");
    field.count = number(row, "count");
    field.parts = number(row, "parts");
    if (field.count == 0 || field.parts == 0 || field.bytes % field.pieces() != 0)
      row.fail(fmt::format("'{}' cannot be divided as it says", field.name));
    if (!std::has_single_bit(field.alignment))
      row.fail(fmt::format("'{}' is aligned to {} bytes", field.name, field.alignment));
    if (field.bytes > record.bytes || field.offset > record.bytes - field.bytes)
      row.fail(fmt::format("'{}' lies outside its record '{}'", field.name, record.name));
    record.fields.push_back(std::move(field));
  }
  return record;
}

Group groupFrom(const JsonValue &row, const SiteTable &table) {
  Group group;
  group.record = indexFrom(row, "record", table.records.size(), None::Forbidden);
  group.arrays = row.at("arrays").texts();
  group.place = placeFrom(row);
  group.isShared = row.at("isShared").flag();
  return group;
}

Loop loopFrom(const JsonValue &row, const SiteTable &table) {
  Loop loop;
  loop.id = number(row, "id");
  // A parent comes first, so walking up always ends.
  loop.parent = indexFrom(row, "parent", table.loops.size(), None::Allowed);
  loop.function = row.at("function").text();
  loop.place = placeFrom(row);
  loop.operations = operationsFrom(row.at("operations"));
  return loop;
}

Site siteFrom(const JsonValue &row, const SiteTable &table) {
  Site site;
  site.id = number(row, "id");
  if (!table.sites.empty() && site.id <= table.sites.back().id)
    row.fail(fmt::format("{} does not follow {}", site.id, table.sites.back().id));
  site.kind = kindFrom(row);
  site.record = indexFrom(row, "record", table.records.size(), None::Allowed);
  site.group = indexFrom(row, "group", table.groups.size(), None::Allowed);
  if (site.group != kNone && table.groups[site.group].record != site.record)
    row.fail(fmt::format("{} has the record of another group", site.id));
  const std::size_t fields = site.record == kNone ? 0 : table.records[site.record].fields.size();
  site.field = indexFrom(row, "field", fields, None::Allowed);
  site.loop = indexFrom(row, "loop", table.loops.size(), None::Allowed);
  site.bytes = number(row, "bytes");
  site.function = row.at("function").text();
  site.place = placeFrom(row);
  return site;
}

Reach reachFrom(const JsonValue &row, const SiteTable &table) {
  Reach reach;
  reach.kernel = indexFrom(row, "kernel", table.kernels.size(), None::Forbidden);
  reach.site = indexFrom(row, "site", table.sites.size(), None::Forbidden);
  reach.loop = indexFrom(row, "loop", table.loops.size(), None::Allowed);
  return reach;
}

Kernel kernelFrom(const JsonValue &row) {
  Kernel kernel;
  kernel.name = row.at("name").text();
  kernel.place = placeFrom(row);
  kernel.operations = operationsFrom(row.at("operations"));
  if (!row.at("liveWords").isNull())
    kernel.liveWords = number(row, "liveWords");
  kernel.staticSharedBytes = number(row, "staticSharedBytes");
  return kernel;
}

SiteTable tableFrom(const JsonValue &json) {
  if (json.at("format").text() != kFormat)
    json.fail(fmt::format("has another 'format' than '{}'", kFormat));
  if (const std::uint32_t version = number(json, "version"); version != kVersion)
    json.fail(fmt::format("is of version {}; this program reads version {}", version, kVersion));
  SiteTable table;
  table.sourceFile = json.at("sourceFile").text();
  table.sourceDigest = json.at("sourceDigest").text();
  table.readsInput = json.at("readsInput").flag();
  table.repeatsLaunches = json.at("repeatsLaunches").flag();
  for (const JsonValue &row : json.at("records").list())
    table.records.push_back(recordFrom(row));
  for (const JsonValue &row : json.at("groups").list())
    table.groups.push_back(groupFrom(row, table));
  for (const JsonValue &row : json.at("loops").list())
    table.loops.push_back(loopFrom(row, table));
  for (const JsonValue &row : json.at("sites").list())
    table.sites.push_back(siteFrom(row, table));
  for (const JsonValue &row : json.at("kernels").list())
    table.kernels.push_back(kernelFrom(row));
  for (const JsonValue &row : json.at("reaches").list())
    table.reaches.push_back(reachFrom(row, table));
  for (const JsonValue &row : json.at("outlines").list())
    table.outlines.push_back(
        outlineFrom(row, {table.sites.size(), table.loops.size(), table.outlines.size()}));
  return table;
}

Json toJson(const Record &record) {
  Json fields = Json::array();
  for (const Field &field : record.fields)
    fields.push_back({{"name", field.name},
                      {"type", field.type},
                      {"extents", field.extents},
                      {"offset", field.offset},
                      {"bytes", field.bytes},
                      {"alignment", field.alignment},
                      {"count", field.count},
                      {"parts", field.parts}});
  return {{"name", record.name},
          {"place", toJson(record.place)},
          {"bytes", record.bytes},
          {"alignment", record.alignment},
          {"fields", std::move(fields)}};
}

Json toJson(const Group &group) {
  return {{"record", indexToJson(group.record)},
          {"arrays", group.arrays},
          {"place", toJson(group.place)},
          {"isShared", group.isShared}};
}

Json toJson(const Loop &loop) {
  return {{"id", loop.id},
          {"parent", indexToJson(loop.parent)},
          {"function", loop.function},
          {"place", toJson(loop.place)},
          {"operations", toJson(loop.operations)}};
}

Json toJson(const Site &site) {
  return {{"id", site.id},
          {"kind", accessKindName(site.kind)},
          {"record", indexToJson(site.record)},
          {"group", indexToJson(site.group)},
          {"field", indexToJson(site.field)},
          {"loop", indexToJson(site.loop)},
          {"bytes", site.bytes},
          {"function", site.function},
          {"place", toJson(site.place)}};
}

Json toJson(const Kernel &kernel) {
  return {{"name", kernel.name},
          {"place", toJson(kernel.place)},
          {"operations", toJson(kernel.operations)},
          {"liveWords", kernel.liveWords ? Json(*kernel.liveWords) : Json(nullptr)},
          {"staticSharedBytes", kernel.staticSharedBytes}};
}

Json toJson(const Reach &reach) {
  return {{"kernel", indexToJson(reach.kernel)},
          {"site", indexToJson(reach.site)},
          {"loop", indexToJson(reach.loop)}};
}

template <class Row> Json rowsOf(const std::vector<Row> &rows) {
  Json json = Json::array();
  for (const Row &row : rows)
    json.push_back(toJson(row));
  return json;
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
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"sourceFile", table.sourceFile},
                  {"sourceDigest", table.sourceDigest},
                  {"readsInput", table.readsInput},
                  {"repeatsLaunches", table.repeatsLaunches},
                  {"records", rowsOf(table.records)},
                  {"groups", rowsOf(table.groups)},
                  {"loops", rowsOf(table.loops)},
                  {"sites", rowsOf(table.sites)},
                  {"kernels", rowsOf(table.kernels)},
                  {"reaches", rowsOf(table.reaches)},
                  {"outlines", rowsOf(table.outlines)}};
  // Paths are whatever bytes the system allows; what is not UTF-8 is replaced.
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<SiteTable> siteTableFromJson(std::string_view json) {
  Result<SiteTable> table = readJson(json, Code::InvalidSiteTable, tableFrom);
  if (!table)
    table.error().text = "not a site table: " + table.error().text;
  return table;
}

} // namespace relayout::trace
