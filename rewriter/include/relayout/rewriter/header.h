// SPDX-License-Identifier: Apache-2.0
// The generated header: everything a rewritten program needs to keep one record's device arrays in
// another layout. Speaks no Clang, so that a layout's code can be made and tested by itself.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/base/result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::rewriter {

/// A direct member of the record, as the header spells it. A struct or union without a name is one,
/// and so is a run of bit-fields; both keep their members together.
struct ShapeField {
  std::string name;
  std::string type;                   ///< array extents left out
  std::vector<std::uint64_t> extents; ///< of an array member, outermost first
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
  bool explicitlyAligned = false; ///< by alignas, beyond what its type asks for
  bool isOfClass = false;         ///< a class or union, CUDA's vector types among them
  bool isMadeByHost = false;      ///< by a function that device code may not call
  bool isConst = false;           ///< set when an element is constructed, and never after
  bool isVolatile = false;
  /// Of members that lie together: "struct" or "union", and these in braces.
  std::string definition = {};
};

struct RecordShape {
  std::string name;                    ///< unqualified, as it is written in the record's own scope
  std::vector<std::string> namespaces; ///< outermost first; empty string: unnamed
  std::vector<ShapeField> fields;      ///< in source order
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
  bool isVectorType = false; ///< CUDA's own, float3, or a scalar: no file of the program defines it
  bool isScalar = false;     ///< the record of one field that stands for a scalar
  /// Of a scalar, extents of the arrays that pointers point to, outermost first: {3} where they are
  /// `double (*)[3]`.
  std::vector<std::uint64_t> rows = {};
  bool hasPadding = false; ///< or unused bits
  bool hasPrivateMembers =
      false;                     ///< or const ones, or some that lie together: not assigned by name
  bool defaultConstructs = true; ///< in device code, without arguments
  bool hasDestructor = false;    ///< its own or a member's, which does nothing
  bool isAggregate = false;      ///< braces initialise it, in every version of C++
  bool isAssigned = false;       ///< `=` copies its bytes, in device code as well
  bool isCopiedByHostAlone = false; ///< device code has no copy constructor, or no assignment
  bool isUnderPackPragma = false;   ///< `#pragma pack` holds where the header is included
};

/// The fields as layouts are bound to them.
[[nodiscard]] std::vector<analysis::LayoutField> layoutFieldsOf(const RecordShape &shape);

/// The names the header adds to the program. For `Particle`: ParticleView, ConstParticleView,
/// particleMalloc …, particle_layout.h.
struct GeneratedNames {
  std::string view;
  std::string constView;
  std::string allocate;
  std::string release;
  std::string copy;
  std::string set;
  std::string convert; ///< copies from an array in another layout
  std::string load;    ///< of a view: "load", where no field has that name
  std::string store;
  std::string allocation;
  std::string array; ///< of records in a variable: ParticleArray
  std::string file;
  std::string stem;      ///< "Particle": what cluster types start with
  std::string lowerStem; ///< "particle": what functions start with

  /// What stands for a function of CUDA's: "cudaMallocManaged" becomes "particleMallocManaged".
  [[nodiscard]] std::string functionFor(std::string_view cudaName) const;
  /// What stands for "memcpy" and "memset" of the host.
  [[nodiscard]] std::string hostFunctionFor(std::string_view name) const;
  [[nodiscard]] std::string
  deviceFunctionFor(std::string_view name) const; ///< "memcpy", in device code

  /// What the headers of all records share calls load() and store().
  [[nodiscard]] bool loadsByAnotherName() const { return load != "load" || store != "store"; }

  /// The class that such a function is given the address of: ParticleOut.
  [[nodiscard]] std::string filler() const { return stem + "Out"; }

  /// All names that must not mean anything else in the program; file not among them, and array only
  /// where variables are arrays.
  [[nodiscard]] std::vector<std::string> identifiers(const analysis::Layout &layout) const;
};

/// "space::Particle".
[[nodiscard]] std::string qualifiedName(const RecordShape &shape);

/// The header's file where another namespace has a record of this name: space_particle_layout.h.
[[nodiscard]] std::string fileInNamespace(const RecordShape &shape, const GeneratedNames &names);

/// \param kind  a word that tells the layouts of one record apart: "Soa" makes ParticleSoaView and
///              particle_soa_layout.h; empty where there is only one
[[nodiscard]] GeneratedNames namesFor(const RecordShape &shape, const std::string &kind = {});

/// The namespace of what the headers of all records share, where the program has no such name.
inline constexpr const char *kSharedSpace = "relayout_memory";

/// How each generated header begins; the rest of the line is advice. Who knows the whole command
/// puts it in place of this one.
inline constexpr std::string_view kGeneratedBy = "// Generated by `relayout rewrite`";

/// What a program does with views, and a header has functions for.
enum class ViewOperation : std::uint8_t {
  Add,           ///< view + n
  AddInFront,    ///< n + view
  Subtract,      ///< view - n
  Advance,       ///< view += n
  GoBack,        ///< view -= n
  Increment,     ///< ++view
  Decrement,     ///< --view
  PostIncrement, ///< view++
  PostDecrement, ///< view--
  Difference,    ///< view - view
  Equality,      ///< view == view, view != view
  Order,         ///< comparisons: view < view
  LoadConst,     ///< load() of a view of const records
  LoadMutable,   ///< load() of a view of records
  Store,
  StoreValue, ///< store() returns what it stored, for `a[i] = b[i] = value`
  MembersOf,  ///< of an element with private members, so that some can be stored
  At,         ///< the element of coordinates, of arrays in another order
  Free,
  Set,
  CopyIn,     ///< from an array of records
  CopyOut,    ///< to an array of records
  CopyWithin, ///< from view to view
  Allocate,   ///< in device memory
  FillIn,     ///< by a function that allocates through `void **`
  AllocateManaged,
  AllocatePinned, ///< in page-locked host memory
  AllocateMapped, ///< the same, with flags
  FreePinned,
  DevicePointer,  ///< of an array in page-locked host memory
  Prefetch,       ///< to a cudaMemLocation
  Advise,         ///< about a cudaMemLocation
  HostCopyIn,     ///< by the host, as memcpy: from an array of records
  HostCopyOut,    ///< to an array of records
  HostCopyWithin, ///< from view to view
  HostSet,
  PrefetchToDevice, ///< by its number, before CUDA 13
  AdviseForDevice,
  DeviceCopyIn,     ///< by device code, as memcpy: from an array of records
  DeviceCopyOut,    ///< to an array of records
  DeviceCopyWithin, ///< from view to view
  DeviceSet,
  CopyToSymbol,    ///< to a __device__ or __constant__ variable, which keeps its layout
  CopyFromSymbol,  ///< from one
  VariableAddress, ///< of an array in a variable
  VariableSize,
  CopyIntoVariable,
  CopyOutOfVariable,
  VariableOffset, ///< these copies begin at other elements than the first
  Iterate,        ///< by Thrust's algorithms
  Walk            ///< *view, for a loop over a range
};
using ViewOperations = std::set<ViewOperation>;
/// All that any version of CUDA has.
[[nodiscard]] ViewOperations allViewOperations();

/// What a header has only where the program needs it. Without a view of const records, the other
/// view has what both share.
struct HeaderParts {
  bool onStreams = false;      ///< the program allocates, copies or sets on streams
  bool conversions = false;    ///< it copies from arrays of the same record in another layout
  bool insideElements = false; ///< what it copies or sets may end inside an element
  bool reachesHost = false;    ///< some of the arrays are in managed or page-locked memory
  bool resetsDevice = false;   ///< it calls cudaDeviceReset: nothing may be kept between copies
  bool isShared = false;       ///< several units include it, and share its functions
  bool mayLackCuda = false;    ///< host C++ includes it, and may not find CUDA's headers
  bool inVariables = false;    ///< some of the arrays are __device__ or __shared__ variables
  bool isConstexpr = false;    ///< a constexpr function of the program uses the views
  bool namesConst = false;     ///< the program's text names the view of const records
  bool freesConst = false;     ///< what it frees, it has as a view of const records
  bool hintsOfConst = false;   ///< what it tells places of, it has as a view of const records
  bool isReadOnly = false;     ///< no kernel writes what it reads through that view
  /// The header of what all records share, as this one includes it.
  std::string sharedHeader = kSharedSpace + std::string(".h");
  std::string sharedSpace = kSharedSpace; ///< the namespace of what they share
  ViewOperations operations = {};         ///< pointer arithmetic: with views of records
  ViewOperations ofConst = {};            ///< pointer arithmetic with views of const records
  ViewOperations onHost = {};             ///< what host C++ calls, whose compiler takes no launch
  std::set<std::string> addressed = {};   ///< fields of const records whose address is taken
  std::set<std::string> macros = {}; ///< of the program: hidden from the header where it says them

  /// Adds what another part of the program needs.
  void add(const HeaderParts &other);
};

/// \error RL-R11 a cluster's alignment is above what cudaMalloc promises; RL-R15 a field has the
///        name of the record or its view; RL-L… the layout does not fit the record
[[nodiscard]] Result<std::string> generateHeader(
    const RecordShape &shape, const analysis::Layout &layout, const GeneratedNames &names,
    const HeaderParts &parts = {.operations = allViewOperations(), .ofConst = allViewOperations()});

/// The header that those of the records include: what they call, and nothing else.
/// \param headers  their texts, as generateHeader() returns them
/// \param parts    what any of them has
/// \returns  nothing where they call nothing
[[nodiscard]] std::string generateSharedHeader(const std::vector<std::string> &headers,
                                               const HeaderParts &parts);

} // namespace relayout::rewriter
