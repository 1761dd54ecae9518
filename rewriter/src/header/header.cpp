// SPDX-License-Identifier: Apache-2.0
// Writes the generated header: cluster types and views; memory_functions.cpp adds the functions.
#include "relayout/rewriter/header.h"

#include "header/array_variable.h"
#include "header/element_code.h"
#include "header/hidden_macros.h"
#include "header/host_reachable.h"
#include "header/iterator_code.h"
#include "header/memory_functions.h"
#include "header/own_names.h"
#include "header/pointer_operations.h"
#include "header/row_code.h"
#include "header/shared_memory.h"
#include "header/view_storage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace relayout::rewriter {
namespace {

using analysis::Cluster;
using analysis::Layout;

/// Beyond this, cudaMalloc promises nothing.
constexpr std::uint32_t kLargestAlignment = 256;

constexpr std::string_view kOnBothSides = "__host__ __device__ ";

class HeaderWriter {
public:
  HeaderWriter(const RecordShape &shape, const Layout &layout, const GeneratedNames &names,
               const HeaderParts &parts, const analysis::AddressFunction &bound)
      : shape_(shape), names_(names), parts_(parts),
        hasConst_(parts.namesConst || !parts.ofConst.empty()),
        planes_(planesOf(shape, layout, names.stem)),
        storage_(storageFor(planes_, layout, bound, names.stem,
                            mayMove(needsOf(parts, false)) || mayMove(parts.ofConst))),
        element_{shape, names_.stem, planes_, *storage_},
        needs_(needsOf(parts, storage_->scattersRanges())),
        isConstexpr_(parts.isConstexpr && storage_->allowsConstexpr()) {
    if (!hasConst_)
      names_.constView = names_.view;
  }

  std::string write() {
    openFile();
    partTypes();
    for (const PlaneCode &plane : planes_)
      text_ += plane.definition();
    text_ += storage_->types(needs_.count(ViewOperation::At) != 0);
    text_ += rowTypes(shape_, names_.stem);
    if (!shape_.defaultConstructs)
      text_ += roomFor(shape_.name, names_.stem + "Storage", shape_.hasDestructor);
    if (shape_.hasPrivateMembers)
      members();
    if (hasConst_)
      constView();
    view();
    const MemoryText memory = memoryText();
    if (parts_.inVariables)
      text_ += arrayInVariable(memory, planes_);
    text_ += hostFunctions(memory);
    if (const std::string copies = deviceFunctions(memory); !copies.empty())
      text_ += "#ifdef __CUDACC__\n" + copies + "#endif // __CUDACC__\n\n";
    text_ += withCuda(memoryFunctions(shape_, names_, *storage_, parts_, needs_));
    for (auto scope = shape_.namespaces.rbegin(); scope != shape_.namespaces.rend(); ++scope)
      text_ += scope->empty() ? "} // namespace\n" : fmt::format("}} // namespace {}\n", *scope);
    if (needs_.count(ViewOperation::Iterate))
      text_ += ifIterators(referenceTrait(shape_, names_));
    if (parts_.mayLackCuda)
      text_ += kMacrosRestored;
    if (shape_.isUnderPackPragma)
      text_ += "#pragma pack(pop)\n";
    text_.insert(behindPragma_, includes() + "\n");
    return std::move(text_);
  }

private:
  void openFile() {
    text_ += fmt::format("{}; run it again instead of editing.\n"
                         "// Device arrays of {}: {} in one allocation.\n",
                         kGeneratedBy, shape_.name, storage_->description());
    for (const PlaneCode &plane : planes_)
      if (!shape_.isScalar)
        text_ += fmt::format("{}{}{}{}", &plane == &planes_.front() ? "// Planes: " : " | ",
                             plane.exploded ? fmt::format("{} of ", plane.lanes) : std::string(),
                             plane.fieldList(), &plane == &planes_.back() ? ".\n" : "");
    text_ +=
        fmt::format("// Host memory keeps the original {0}; {1} converts.{2}\n"
                    "#pragma once\n\n",
                    shape_.name, names_.copy, shape_.isVectorType ? "" : " Include this after it.");
    if (shape_.isUnderPackPragma)
      text_ += "#pragma pack(push)\n#pragma pack() // members lie as their types ask for\n\n";
    behindPragma_ = text_.size();
    if (parts_.mayLackCuda)
      text_ += kMacrosDefined;
    for (const std::string &scope : shape_.namespaces)
      text_ += scope.empty() ? "namespace {\n" : fmt::format("namespace {} {{\n", scope);
    if (!shape_.namespaces.empty())
      text_ += '\n';
    text_ += fmt::format("static_assert(sizeof({0}) == {1}, \"this header was made for another "
                         "{0}\");\n\n",
                         shape_.name, shape_.bytes);
  }

  /// Types for members without a name, which code names by their own members.
  void partTypes() {
    for (const ShapeField &field : shape_.fields)
      if (!field.definition.empty()) {
        const std::size_t brace = field.definition.find('{');
        text_ += fmt::format("/// Members of {0} that lie together.\n{1}{2} {3};\n"
                             "static_assert(sizeof({2}) == {4}, \"{0} has other members\");\n\n",
                             shape_.name, field.definition.substr(0, brace), field.type,
                             field.definition.substr(brace), field.bytes);
      }
  }

  /// The shared header includes <cstddef> and CUDA's.
  [[nodiscard]] std::string includes() const {
    std::string text = text_.find(std::string(kSharedSpace) + "::") == std::string::npos
                           ? sharedIncludes(parts_.mayLackCuda)
                           : fmt::format("#include \"{}\"\n", parts_.sharedHeader);
    if (storage_->scattersRanges() || shape_.hasPrivateMembers ||
        needs_.count(ViewOperation::HostSet) || needs_.count(ViewOperation::DeviceSet))
      text += "#include <cstring>\n";
    if (text_.find(" : {") != std::string::npos) // a loop over a list
      text += "#include <initializer_list>\n";
    if (iterates())
      text += ifIterators("#include <thrust/detail/type_traits.h>\n"
                          "#include <thrust/iterator/iterator_categories.h>\n"
                          "#include <type_traits>\n");
    if (std::ranges::any_of(shape_.fields, [](const ShapeField &field) {
          return (field.type + field.definition).find("std::remove_") != std::string::npos;
        }))
      text += "#include <type_traits>\n";
    return text;
  }

  /// Has the planes, and what both views can do.
  void constView() {
    openClass(names_.constView, names_.constView, "const " + pointer(), storage_->nulls());
    accessors(/*isConst=*/true);
    if (loads())
      load(/*isConst=*/true);
    endPart();
    if (needs_.count(ViewOperation::CopyIn) || needs_.count(ViewOperation::CopyOut))
      text_ += storage_->tiling() + inTile("const ");
    ViewOperations moves = withIteration(parts_.ofConst);
    if (moves.count(ViewOperation::Iterate))
      text_ += ifIterators(constIteratorMembers(shape_, names_));
    if (mayMove(needs_))
      moves.insert(ViewOperation::Advance);
    text_ += marked(pointerOperations(names_.constView, advance(), moves) +
                    comparisons(*storage_, names_.constView, needs_, rowElements(shape_)));
    if (parts_.freesConst)
      text_ += "\n" + storage_->allocation();
    if (parts_.hintsOfConst)
      hints();
    planes(fmt::format("  friend class {};\n", names_.view));
  }

  /// \param shown  what the class is, with its base
  void openClass(const std::string &name, const std::string &shown, const std::string &pointer,
                 const std::vector<std::string> &initialisers) {
    text_ += fmt::format("/// Takes the place of `{}` for arrays in device memory.\n"
                         "class {} {{\npublic:\n  {}() = default;\n"
                         "  __host__ __device__ constexpr {}(std::nullptr_t) : {} {{}}\n\n",
                         pointer, shown, name, name, fmt::join(initialisers, ", "));
  }

  /// What the views stand for.
  [[nodiscard]] std::string pointer() const {
    return shape_.name + (shape_.rows.empty()
                              ? std::string(" *")
                              : fmt::format(" (*)[{}]", fmt::join(shape_.rows, "][")));
  }

  /// The end of the class that has the planes.
  void planes(std::string friends) {
    if (parts_.inVariables)
      friends += fmt::format("  template <std::size_t> friend class {};\n", names_.array);
    text_ += "\nprivate:\n" + friends + storage_->helpers() + storage_->members() + "};\n\n";
  }

  /// Derived from the view of const records, where there is one.
  void view() {
    const std::string &name = names_.view, &base = names_.constView;
    if (hasConst_)
      openClass(name, name + " : public " + base, pointer(), {base + "(nullptr)"});
    else
      openClass(name, name, pointer(), storage_->nulls());
    accessors(/*isConst=*/false);
    if (!hasConst_ && loads())
      load(/*isConst=*/false);
    else if (needs_.count(ViewOperation::LoadMutable) && !shape_.isScalar &&
             !shape_.isCopiedByHostAlone)
      text_ +=
          marked(fmt::format("  __host__ __device__ {} load(std::ptrdiff_t i = 0) const {{ return "
                             "{}::load(i); }}\n",
                             shape_.name, base),
                 element_.isBraced());
    if (needs_.count(ViewOperation::Store))
      text_ += element_.store(needs_.count(ViewOperation::StoreValue) != 0);
    if (needs_.count(ViewOperation::MembersOf) && shape_.hasPrivateMembers)
      text_ += element_.membersOf();
    endPart();
    if (!hasConst_ && (needs_.count(ViewOperation::CopyIn) || needs_.count(ViewOperation::CopyOut)))
      text_ += storage_->tiling();
    if (needs_.count(ViewOperation::CopyIn) || (!hasConst_ && needs_.count(ViewOperation::CopyOut)))
      text_ += inTile("");
    if (needs_.count(ViewOperation::Iterate))
      text_ += ifIterators(iteratorMembers(shape_));
    text_ += marked(pointerOperations(
        name, hasConst_ ? fmt::format("    {}::operator+=(n);\n", base) : advance(), needs_));
    if (!hasConst_)
      text_ += marked(comparisons(*storage_, name, needs_, rowElements(shape_)));
    if (memoryText().allocates()) {
      text_ += storage_->placement();
      if (!parts_.freesConst)
        text_ += storage_->allocation();
    }
    ranges();
    if (hasConst_)
      text_ += "};\n\n";
    else
      planes({});
    if (needs_.count(ViewOperation::Iterate))
      text_ += ifIterators(elementReference(shape_, names_));
  }

  /// Host C++ that includes the header may lack Thrust, and uses no iterators.
  [[nodiscard]] std::string ifIterators(const std::string &text) const {
    return parts_.mayLackCuda ? "#ifdef __CUDACC__\n" + text + "#endif // __CUDACC__\n" : text;
  }

  /// What sets, copies and hints do to the view's ranges of memory.
  void ranges() {
    if (needs_.count(ViewOperation::Set))
      text_ += withCuda(storage_->filling());
    if (needs_.count(ViewOperation::CopyWithin))
      text_ += withCuda(storage_->copying(
          names_.constView, parts_.reachesHost ? "cudaMemcpyDefault" : "cudaMemcpyDeviceToDevice"));
    if (!parts_.hintsOfConst)
      hints();
  }

  void hints() {
    if (givesHints(needs_) && !storage_->scattersRanges())
      text_ += withCuda(storage_->ranges());
  }

  void load(bool isConst) {
    text_ += element_.isBraced() && !shape_.isScalar ? marked(element_.load(isConst))
                                                     : element_.load(isConst);
  }

  [[nodiscard]] bool iterates() const {
    return needs_.count(ViewOperation::Iterate) || parts_.ofConst.count(ViewOperation::Iterate);
  }

  [[nodiscard]] bool loads() const {
    return needs_.count(ViewOperation::LoadConst) || needs_.count(ViewOperation::LoadMutable);
  }

  [[nodiscard]] std::string inTile(const std::string &qualifier) const {
    return shape_.isScalar ? storage_->inTile(qualifier + shape_.name + " &",
                                              elementAt(shape_, "i"), anyMoves())
                           : std::string();
  }

  /// Whether some view stands at another element than the first.
  [[nodiscard]] bool anyMoves() const { return mayMove(needs_) || mayMove(parts_.ofConst); }

  /// Functions, which are constexpr where the program's need them so.
  [[nodiscard]] std::string marked(std::string text, bool canBe = true) const {
    if (isConstexpr_ && canBe)
      for (std::size_t at = 0; (at = text.find(kOnBothSides, at)) != std::string::npos;)
        text.insert(at += kOnBothSides.size(), "constexpr ");
    return text;
  }

  [[nodiscard]] std::string advance() const {
    return (shape_.rows.empty() ? std::string()
                                : fmt::format("    n *= {}; // rows\n", rowElements(shape_))) +
           storage_->advance();
  }

  /// With a blank line behind it.
  void endPart() {
    if (!text_.ends_with("\n\n"))
      text_ += '\n';
  }

  /// What calls CUDA is left out where its headers may be missing and are.
  [[nodiscard]] std::string withCuda(const std::string &text) const {
    if (!parts_.mayLackCuda || text.empty())
      return text;
    return "#if __has_include(<cuda_runtime.h>)\n" + text + "#endif\n";
  }

  /// A read-only accessor returns the value of a scalar, so that the compiler sees the plane's own
  /// load with its alignment. Of a class it returns a reference: nvcc copies the returned value
  /// member by member, by as many loads. What is volatile is so by the reference alone, and arrays
  /// cannot be returned.
  void accessors(bool isConst) {
    if (shape_.isScalar)
      return subscripts(isConst);
    for (const ShapeField &field : shape_.fields) {
      const PlaneCode &plane = planeOf(field);
      const AccessorIndices indices = indicesOf(field, plane);
      const bool isAddressed = !isConst || parts_.addressed.count(field.name) != 0;
      const bool isRead = isConst || field.isConst;
      std::string result = field.type + (isConst ? " " : " &");
      if (!field.extents.empty() && !plane.exploded)
        result = isRead ? "const auto &" : "auto &";
      else if (isRead && (field.isOfClass || field.isVolatile || isAddressed))
        result = field.type.ends_with('*') || field.isVolatile ? field.type + " const &"
                                                               : "const " + field.type + " &";
      text_ += marked(fmt::format("  __host__ __device__ {}{}({}) const {{ return {}{}; }}\n",
                                  result, field.name, indices.parameters,
                                  isConst ? readAt(plane, indices.lane)
                                          : storage_->at(plane, indices.lane, !isConstexpr_),
                                  plane.isStruct ? "." + field.name : std::string()));
    }
    text_ += '\n';
  }

  /// Of a plain array: code that works on pointers keeps its text.
  void subscripts(bool isConst) {
    const std::string reference = (isConst ? "const " : "") + shape_.name + " &";
    const std::string element =
        isConst ? readAt(planes_.front(), "") : storage_->at(planes_.front(), "", true);
    text_ += shape_.rows.empty()
                 ? marked(fmt::format(
                       "  __host__ __device__ {0}operator[](std::ptrdiff_t i) const {{ return "
                       "{1}; }}\n"
                       "  __host__ __device__ {0}operator*() const {{ return (*this)[0]; }}\n\n",
                       reference, element))
                 : rowAccess(shape_, names_.stem, isConst ? names_.constView : names_.view,
                             {reference, element,
                              storage_->inRow(shape_.rows.back(), isConst && parts_.isReadOnly)});
    if (needs_.count(ViewOperation::At))
      text_ += storage_->coordinates({reference, isConst && parts_.isReadOnly}) + "\n";
  }

  /// What a view of const records reads. `constexpr` takes no other function than the view's own.
  [[nodiscard]] std::string readAt(const PlaneCode &plane, const std::string &lane) const {
    return parts_.isReadOnly && !isConstexpr_ ? storage_->readOnlyAt(plane, lane)
                                              : storage_->at(plane, lane, /*hinted=*/false);
  }

  /// A struct that has the record's private members in its place.
  void members() {
    text_ += fmt::format(
        "/// The members of {}, some of which {}, at their places.\nstruct ", shape_.name,
        std::ranges::any_of(shape_.fields,
                            [](const ShapeField &field) { return !field.definition.empty(); })
            ? "lie together"
        : std::ranges::any_of(shape_.fields, &ShapeField::isConst) ? "are const"
                                                                   : "are private");
    std::uint32_t natural = 1;
    for (const ShapeField &field : shape_.fields)
      natural = std::max(natural, field.alignment);
    if (shape_.alignment > natural)
      text_ += fmt::format("alignas({}) ", shape_.alignment);
    text_ += names_.stem + "Members {\n";
    for (const ShapeField &field : shape_.fields) {
      text_ += field.explicitlyAligned ? fmt::format("  alignas({})", field.alignment) : "";
      text_ += fmt::format("  {} {}", field.type, field.name);
      for (const std::uint64_t extent : field.extents)
        text_ += fmt::format("[{}]", extent);
      text_ += ";\n";
    }
    text_ += fmt::format("}};\nstatic_assert(sizeof({0}Members) == sizeof({1}) && "
                         "alignof({0}Members) == alignof({1}), \"{1} has other members\");\n\n",
                         names_.stem, shape_.name);
    if (std::ranges::any_of(shape_.fields, &ShapeField::isMadeByHost))
      text_ +=
          roomFor(names_.stem + "Members", names_.stem + "MembersStorage", shape_.hasDestructor);
  }

  [[nodiscard]] const PlaneCode &planeOf(const ShapeField &field) const {
    return planeWith(field, planes_);
  }

  [[nodiscard]] MemoryText memoryText() const {
    return {shape_, names_, *storage_, parts_, needs_};
  }

  const RecordShape &shape_;
  GeneratedNames names_; ///< where the program has no view of const records, both views have one
  const HeaderParts &parts_;
  bool hasConst_;
  std::vector<PlaneCode> planes_;
  std::unique_ptr<ViewStorage> storage_;
  ElementCode element_;
  ViewOperations needs_; ///< of the program and of the header's own functions
  bool isConstexpr_;     ///< the views' functions are
  std::string text_;
  std::size_t behindPragma_ = 0;
};

} // namespace

std::vector<analysis::LayoutField> layoutFieldsOf(const RecordShape &shape) {
  std::vector<analysis::LayoutField> fields;
  for (const ShapeField &field : shape.fields)
    fields.push_back(
        {field.name, field.bytes, field.alignment, static_cast<std::uint32_t>(elementsOf(field))});
  return fields;
}

Result<std::string> generateHeader(const RecordShape &described, const Layout &layout,
                                   const GeneratedNames &names, const HeaderParts &parts) {
  const OwnNames own(described, names);
  if (const std::optional<std::string> field = own.fieldInTheWay(layout, parts))
    return fail(Code::NameTaken, fmt::format("field '{}' of '{}' has a name that the view needs",
                                             *field, described.name));
  RecordShape shape = own.marked(described);
  for (std::size_t i = 0; i < shape.fields.size(); ++i)
    if (!shape.fields[i].definition.empty())
      shape.fields[i].type = fmt::format("{}Part{}", names.stem, i);
  for (const Cluster &cluster : layout.clusters)
    if (cluster.alignment > kLargestAlignment)
      return fail(Code::AlignmentTooLarge,
                  fmt::format("a cluster of '{}' is to be aligned to {} bytes, and cudaMalloc "
                              "promises {}",
                              described.name, cluster.alignment, kLargestAlignment));
  if (shape.isScalar && layout.clusters.front().alignment > shape.alignment)
    return fail(Code::InvalidAlignment,
                fmt::format("elements of plain arrays of '{}' cannot be aligned", described.name));
  if (layout.tile != 0 && !layout.order.isAsNumbered())
    return fail(Code::InvalidOrder,
                fmt::format("the layout of '{}' has tiles and an order of elements; digits of the "
                            "order make tiles as well",
                            described.name));
  const Result<analysis::AddressFunction> bound =
      analysis::AddressFunction::bind(layout, layoutFieldsOf(described), layout.tile);
  if (!bound)
    return tl::unexpected(bound.error());
  const HeaderParts needed = own.marked(parts);
  return withMacrosHidden(
      inSharedSpace(own.apart(HeaderWriter(shape, layout, names, needed, *bound).write()),
                    parts.sharedSpace),
      parts.macros);
}

} // namespace relayout::rewriter
