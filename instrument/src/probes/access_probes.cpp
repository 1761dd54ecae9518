// SPDX-License-Identifier: Apache-2.0
// Puts probes around accesses: around the accessed object, or around that of which a bit-field is a
// member.
#include "probes/access_probes.h"

#include <fmt/format.h>

namespace relayout::instrument {

void insertProbe(TokenEdits &edits, const Point &point, const std::string &probe) {
  if (!point.bitField)
    return edits.wrap(point.firstToken, point.lastToken, "(" + probe, "))");
  const BitFieldAccess &access = *point.bitField;
  const std::string unit = fmt::format(", {}, {}))", access.offset, point.bytes);
  switch (access.object) {
  case BitFieldAccess::Object::Named:
    return edits.wrap(access.firstToken, access.lastToken, "(" + probe, unit);
  case BitFieldAccess::Object::Pointed:
    return edits.wrap(access.firstToken, access.lastToken, "(&" + probe + "*(", ")" + unit);
  case BitFieldAccess::Object::This:
    return edits.insertBefore(access.firstToken, "(" + probe + "*this" + unit + ".");
  }
}

void insertCallBefore(TokenEdits &edits, const Point &point, const std::string &call) {
  if (!point.bitField)
    return edits.wrap(point.firstToken, point.lastToken, "(" + call + ", ", ")");
  const BitFieldAccess &access = *point.bitField;
  if (access.object == BitFieldAccess::Object::This)
    return edits.insertBefore(access.firstToken, "(" + call + ", *this).");
  edits.wrap(access.firstToken, access.lastToken, "(" + call + ", ", ")");
}

} // namespace relayout::instrument
