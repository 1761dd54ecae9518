// SPDX-License-Identifier: Apache-2.0
// Passes each access on to a view of the variable.
#include "header/array_variable.h"

#include <fmt/format.h>

namespace relayout::rewriter {

std::string arrayInVariable(const MemoryText &header, const std::vector<PlaneCode> &planes) {
  const RecordShape &shape = header.shape;
  const GeneratedNames &names = header.names;
  std::string text =
      fmt::format("/// Takes the place of `{0} name[kElements]` for variables in device "
                  "or shared memory.\ntemplate <std::size_t kElements>\nclass {1} {{\npublic:\n"
                  "  {1}() = default;\n"
                  "  {1}(const {1} &) = delete; // what takes an array takes its view\n\n"
                  "  __host__ __device__ operator {2}() {{\n    {2} view;\n{3}"
                  "    return view;\n  }}\n\n",
                  shape.name, names.array, names.view, header.storage.placeInRoom());
  const std::string own = fmt::format("{}(*this)", names.view);
  for (const ShapeField &field : shape.fields) {
    const PlaneCode &plane = planeWith(field, planes);
    const AccessorIndices indices = indicesOf(field, plane);
    text += fmt::format("  __host__ __device__ {} &{}({}) {{ return {}.{}({}); }}\n",
                        field.extents.empty() || plane.exploded ? field.type : "auto", field.name,
                        indices.parameters, own, field.name, indices.arguments);
  }
  if (header.needs(ViewOperation::LoadConst) || header.needs(ViewOperation::LoadMutable))
    text +=
        fmt::format("  __host__ __device__ {0} {2}(std::ptrdiff_t i) {{ return {1}.{2}(i); }}\n",
                    shape.name, own, names.load);
  const bool givesStored = header.needs(ViewOperation::StoreValue);
  if (header.needs(ViewOperation::Store))
    text += fmt::format("  __host__ __device__ {3}{2}(std::ptrdiff_t i, const {0} &value) "
                        "{{ {4}{1}.{2}(i, value); }}\n",
                        shape.name, own, names.store,
                        givesStored ? fmt::format("const {} &", shape.name) : "void ",
                        givesStored ? "return " : "");
  if (header.needs(ViewOperation::MembersOf) && shape.hasPrivateMembers)
    text += fmt::format("  static __host__ __device__ {}Members membersOf(const {} &element) "
                        "{{ return {}::membersOf(element); }}\n",
                        names.stem, shape.name, names.view);
  if (header.needs(ViewOperation::Add))
    text += fmt::format("  friend __host__ __device__ {0} operator+({1} &array, std::ptrdiff_t "
                        "n) {{ return {0}(array) + n; }}\n",
                        names.view, names.array);
  return text + "\nprivate:\n" + header.storage.room() + "};\n\n";
}

} // namespace relayout::rewriter
