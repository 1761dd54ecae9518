// SPDX-License-Identifier: Apache-2.0
// Random records in random layouts: the generated view must put every field where the layout's
// address function says, and its memory functions must do to records what CUDA's do.
#include "relayout/instrument/lowering.h"
#include "relayout/rewriter/header.h"
#include "support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using analysis::AddressFunction;
using analysis::Cluster;
using analysis::Layout;
using analysis::LayoutField;

/// Numbers that are the same on every machine, as those of std's distributions are not.
class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }
  bool oneIn(unsigned n) { return below(n) == 0; }
  template <class T> const T &from(const std::vector<T> &values) {
    return values[below(static_cast<unsigned>(values.size()))];
  }

private:
  std::mt19937 engine_;
};

struct Case {
  RecordShape shape;
  Layout layout;
  std::uint64_t elements = 0;
};

std::uint64_t countOf(const ShapeField &field) {
  return std::accumulate(field.extents.begin(), field.extents.end(), std::uint64_t{1},
                         std::multiplies<>());
}

RecordShape randomRecord(Random &random, int number) {
  static const std::vector<std::pair<std::string, std::uint32_t>> kTypes = {
      {"char", 1}, {"unsigned short", 2}, {"float", 4},
      {"int", 4},  {"double", 8},         {"long long", 8}};
  static const std::vector<std::string> kOfViews = {
      "load",     "fill",     "plane0_",  "index_",    "placeOf",   "store",
      "copyFrom", "base_",    "planeAt",  "members",   "eachRange", "allocation",
      "kTile",    "plane0At", "placesOf", "plane1Lane"};
  RecordShape shape;
  shape.name = fmt::format("R{}x", number); // no two have one as the start of the other
  std::uint32_t end = 0, largest = 1;
  const unsigned fields = 1 + random.below(6);
  for (unsigned f = 0; f < fields; ++f) {
    ShapeField field;
    field.name =
        number % 3 == 2 ? kOfViews[(number * 5 + f) % kOfViews.size()] : fmt::format("f{}", f);
    const bool isTriple = random.oneIn(7);
    const auto &[type, bytes] = random.from(kTypes);
    field.type = isTriple ? "Triple" : type;
    field.alignment = isTriple ? 4 : bytes;
    if (random.oneIn(8)) {
      field.explicitlyAligned = true;
      field.alignment = 16;
    }
    if (random.oneIn(3))
      field.extents = random.from(std::vector<std::vector<std::uint64_t>>{{2}, {3}, {4}, {2, 2}});
    field.bytes = static_cast<std::uint32_t>((isTriple ? 12 : bytes) * countOf(field));
    largest = std::max(largest, field.alignment);
    end = (end + field.alignment - 1) / field.alignment * field.alignment + field.bytes;
    shape.fields.push_back(field);
  }
  shape.bytes = (end + largest - 1) / largest * largest;
  shape.alignment = largest;
  shape.hasPadding = true;
  shape.hasPrivateMembers = random.oneIn(4);
  shape.isAggregate = shape.isAssigned = !shape.hasPrivateMembers;
  return shape;
}

Layout randomLayout(Random &random, const RecordShape &shape) {
  std::vector<std::uint32_t> order(shape.fields.size());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<unsigned>(i))]);
  Layout layout;
  for (const std::uint32_t field : order) {
    const std::uint64_t count = countOf(shape.fields[field]);
    const bool joins = !layout.clusters.empty() && random.oneIn(2) &&
                       (!layout.clusters.back().exploded ||
                        countOf(shape.fields[layout.clusters.back().fields.front()]) == count);
    if (joins)
      layout.clusters.back().fields.push_back(field);
    else
      layout.clusters.push_back({{field}, 0, count > 1 && random.oneIn(2)});
  }
  for (Cluster &cluster : layout.clusters) {
    if (!random.oneIn(3))
      continue;
    cluster.alignment = 1u << (1 + random.below(5));
    for (const std::uint32_t field : cluster.fields)
      cluster.alignment = std::max(cluster.alignment, shape.fields[field].alignment);
  }
  layout.tile = random.from(std::vector<std::uint64_t>{0, 0, 1, 3, 8, 32, 37});
  if (layout.tile == 0 && random.oneIn(2))
    layout.order = random.from(std::vector<analysis::ElementOrder>{{{4}, {1, 0}},
                                                                   {{7}, {1, 0}},
                                                                   {{4, 3}, {1, 0, 2}},
                                                                   {{2, 5}, {2, 1, 0}},
                                                                   {{8, 2}, {0, 2, 1}}});
  if (!layout.order.isAsNumbered() && random.oneIn(2))
    for (std::size_t d = 0; d < layout.order.extents.size(); ++d) // known at run time, or constants
      layout.order.texts.emplace_back(random.oneIn(2) ? "n" : "");
  if (!layout.order.isAsNumbered() && random.oneIn(2))
    for (std::size_t d = 0; d <= layout.order.extents.size(); ++d)
      layout.order.multiples.push_back(random.from(std::vector<std::uint32_t>{1, 1, 3, 8}));
  layout.padBytes = random.from(std::vector<std::uint64_t>{0, 0, 4, 100, 256});
  layout.startAlignment = random.from(std::vector<std::uint32_t>{0, 0, 1, 32, 512});
  return layout;
}

std::vector<LayoutField> fieldsOf(const RecordShape &shape) {
  std::vector<LayoutField> fields;
  for (const ShapeField &field : shape.fields)
    fields.push_back(
        {field.name, field.bytes, field.alignment, static_cast<std::uint32_t>(countOf(field))});
  return fields;
}

/// Every element of every array member: its subscripts, outermost first.
std::vector<std::vector<std::uint64_t>> subscriptsOf(const ShapeField &field) {
  std::vector<std::vector<std::uint64_t>> all = {{}};
  for (const std::uint64_t extent : field.extents) {
    std::vector<std::vector<std::uint64_t>> longer;
    for (const auto &prefix : all)
      for (std::uint64_t n = 0; n < extent; ++n) {
        longer.push_back(prefix);
        longer.back().push_back(n);
      }
    all = std::move(longer);
  }
  return all;
}

bool isExploded(const Layout &layout, std::uint32_t field) {
  return std::ranges::any_of(layout.clusters, [&](const Cluster &cluster) {
    return cluster.exploded && std::ranges::count(cluster.fields, field) != 0;
  });
}

std::string definitionOf(const RecordShape &shape) {
  std::string text = "struct " + shape.name + " {\n";
  if (shape.hasPrivateMembers)
    text += "  " + shape.name + "() = default;\n  friend bool same(const " + shape.name +
            " &a, const " + shape.name + " &b);\nprivate:\n";
  for (const ShapeField &field : shape.fields) {
    text += field.explicitlyAligned ? "  alignas(16) " : "  ";
    text += field.type + " " + field.name;
    for (const std::uint64_t extent : field.extents)
      text += fmt::format("[{}]", extent);
    text += ";\n";
  }
  return text + "};\n";
}

/// What allocations are given behind the bytes.
std::string extentsGiven(const Layout &layout) {
  std::string extents;
  for (std::size_t d = 0; d < layout.order.texts.size(); ++d)
    if (!layout.order.texts[d].empty())
      extents += fmt::format(", {}", layout.order.extents[d]);
  return extents;
}

bool mayBeVariable(const Case &one) { return one.layout.order.isAsNumbered(); }

/// Prints one line a field and element: "R0x 12 f1 3 : 640", and the bytes of the allocation.
std::string addressPrinter(const Case &one) {
  const std::string extents = extentsGiven(one.layout);
  const GeneratedNames names = namesFor(one.shape);
  const std::string count = std::to_string(one.elements);
  // Through the first element's view and through one that was moved there and beyond.
  std::vector<std::pair<std::string, std::string>> places = {{"p.", "base"},
                                                             {"(p + (i + 5) - 5 - i).", "base"}};
  std::string text;
  if (mayBeVariable(one)) {
    const std::string variable = "variable" + one.shape.name;
    text = fmt::format("__device__ {}<{}> {};\n", names.array, count, variable);
    places.emplace_back(variable + ".", "(const char *)&" + variable);
  }
  text += "void addressesOf" + one.shape.name + "() {\n  " + names.view + " p;\n  " +
          names.allocate + "(&p, " + count + " * sizeof(" + one.shape.name + ")" + extents +
          ");\n  const char *base = (const char *)p." + names.allocation + "();\n" +
          "  std::printf(\"" + one.shape.name + " takes %zu\\n\", " + names.view +
          "().placeAt(0, " + count + extents + "));\n  for (std::ptrdiff_t i = 0; i < " + count +
          "; ++i) {\n";
  for (std::uint32_t f = 0; f < one.shape.fields.size(); ++f) {
    const ShapeField &field = one.shape.fields[f];
    std::uint64_t lane = 0;
    for (const std::vector<std::uint64_t> &subscripts : subscriptsOf(field)) {
      std::string access = isExploded(one.layout, f) ? "(i" : "(i)";
      for (const std::uint64_t n : subscripts)
        access += isExploded(one.layout, f) ? fmt::format(", {}", n) : fmt::format("[{}]", n);
      access += isExploded(one.layout, f) ? ")" : "";
      for (const auto &[view, start] : places)
        text += fmt::format("    std::printf(\"{} %td {} {} : %td\\n\", i, (const char *)&{}{}{} - "
                            "{});\n",
                            one.shape.name, field.name, lane, view, field.name, access, start);
      ++lane;
    }
  }
  return text + "  }\n  " + names.release + "(p);\n}\n";
}

std::string expectedAddresses(const Case &one) {
  const auto bound = AddressFunction::bind(one.layout, fieldsOf(one.shape), one.elements);
  if (!bound) {
    ADD_FAILURE() << bound.error().text;
    return {};
  }
  std::ostringstream text;
  // Planes and tiles are whole, the last one too.
  const auto last = static_cast<std::uint32_t>(one.layout.clusters.size() - 1);
  const std::uint64_t lanes =
      one.layout.clusters[last].exploded
          ? countOf(one.shape.fields[one.layout.clusters[last].fields.front()])
          : 1;
  text << one.shape.name << " takes "
       << (one.layout.tile != 0
               ? (one.elements + one.layout.tile - 1) / one.layout.tile * bound->blockBytes()
               : bound->clusterStart(last) + lanes * bound->planeBytes(last))
       << '\n';
  for (std::uint64_t i = 0; i < one.elements; ++i)
    for (std::uint32_t f = 0; f < one.shape.fields.size(); ++f)
      for (std::uint32_t lane = 0; lane < countOf(one.shape.fields[f]); ++lane)
        for (int place = 0; place < (mayBeVariable(one) ? 3 : 2); ++place)
          text << one.shape.name << ' ' << i << ' ' << one.shape.fields[f].name << ' ' << lane
               << " : " << bound->offset(i, f, lane) << '\n';
  return text.str();
}

/// Copies to a variable and from it, but for the first element.
std::string variableChecker(const Case &one) {
  return fmt::format(R"(void variableOf{0}() {{
  std::vector<{0}> in({1}), out({1}), first(1);
  for (std::size_t n = 0; n < {1} * sizeof({0}); ++n)
    reinterpret_cast<unsigned char *>(in.data())[n] = byteAt(n);
  {0}View view;
  std::size_t bytes, same = 0;
  bool isGood = {2}MemcpyToSymbol(variable{0}, in.data(), {1} * sizeof({0})) == cudaSuccess &&
                {2}MemcpyFromSymbol(out.data(), variable{0}, ({1} - 1) * sizeof({0}), sizeof({0})) ==
                    cudaSuccess &&
                {2}GetSymbolAddress(&view, variable{0}) == cudaSuccess &&
                {2}GetSymbolSize(&bytes, variable{0}) == cudaSuccess && bytes == {1} * sizeof({0}) &&
                {2}MemcpyToSymbol(variable{0}, in.data(), sizeof({0}), bytes) != cudaSuccess;
  for (std::size_t i = 1; i < {1}; ++i)
    same += ::same(out[i - 1], in[i]);
  isGood &= {2}Memcpy(first.data(), view, sizeof({0}), cudaMemcpyDeviceToHost) == cudaSuccess &&
           ::same(first[0], in[0]) && same == {1} - 1;
  std::printf("{0} variable %d\n", isGood);
}}
)",
                     one.shape.name, one.elements, namesFor(one.shape).lowerStem);
}

/// The same steps on a view and on plain records: ranges that start anywhere.
std::string copyChecker(const Case &one) {
  const GeneratedNames names = namesFor(one.shape);
  std::string equal = "bool same(const " + one.shape.name + " &a, const " + one.shape.name +
                      " &b) {\n  return true";
  for (const ShapeField &field : one.shape.fields)
    equal += " && std::memcmp(&a." + field.name + ", &b." + field.name + ", " +
             std::to_string(field.bytes) + ") == 0";
  equal += ";\n}\n";
  return equal + "CHECK_COPIES(" + one.shape.name + ", " + names.view + ", " + names.constView +
         ", " + names.load + ", " + names.store + ", " + names.lowerStem + ", " +
         std::to_string(one.elements) + extentsGiven(one.layout) + ")\n";
}

const char *const kProgramStart = R"(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
struct Triple { float a, b, c; };
// Bytes that are a value of any of the types, and never the same twice in a row.
inline unsigned char byteAt(std::size_t n) { return (n * 2654435761u >> 11) & 0x3f; }
#define CHECK(condition) \
  do { if (!(condition)) { std::printf("line %d of %s\n", __LINE__, name); return; } } while (0)
#define CHECK_COPIES(Record, View, ConstView, load, store, prefix, count, ...)                    \
  __global__ void touch##Record(View p, ConstView q, int n) {                                     \
    int i = threadIdx.x;                                                                          \
    if (i < n) p.store(i, (q + n).load(-1 - i));                                                  \
  }                                                                                               \
  void copiesOf##Record() {                                                                       \
    const char *name = #Record;                                                                   \
    const std::size_t size = sizeof(Record);                                                      \
    std::vector<Record> host(count), back(count), a(count), b(count);                             \
    for (std::size_t n = 0; n < count * size; ++n)                                                \
      reinterpret_cast<unsigned char *>(host.data())[n] = byteAt(n);                              \
    View p, q;                                                                                    \
    CHECK(prefix##Malloc(&p, count * size, ##__VA_ARGS__) == cudaSuccess && p);                                  \
    CHECK(prefix##Malloc(&q, count * size, ##__VA_ARGS__) == cudaSuccess && q != p);                             \
    CHECK(prefix##Memset(p, 0, count * size) == cudaSuccess);                                     \
    CHECK(prefix##Memset(q, 7, count * size) == cudaSuccess);                                     \
    std::memset((void *)a.data(), 0, count * size);                                               \
    std::memset((void *)b.data(), 7, count * size);                                               \
    unsigned state = 1;                                                                           \
    for (int round = 0; round < 40; ++round) {                                                    \
      state = state * 1664525u + 1013904223u;                                                     \
      const std::size_t from = (state >> 8) % count, to = (state >> 16) % count;                  \
      const std::size_t n = (state >> 4) % (count + 1 - (from > to ? from : to));                 \
      switch (round % 5) {                                                                        \
      case 0:                                                                                     \
        CHECK(prefix##Memcpy(p + to, host.data() + from, n * size, cudaMemcpyHostToDevice) ==     \
              cudaSuccess);                                                                       \
        for (std::size_t i = 0; i < n; ++i) a[to + i] = host[from + i];                           \
        break;                                                                                    \
      case 1:                                                                                     \
        CHECK(prefix##Memcpy(q + to, ConstView(p) + from, n * size, cudaMemcpyDeviceToDevice) ==  \
              cudaSuccess);                                                                       \
        for (std::size_t i = 0; i < n; ++i) b[to + i] = a[from + i];                              \
        break;                                                                                    \
      case 2:                                                                                     \
        CHECK(prefix##Memset(q + from, round, n * size) == cudaSuccess);                          \
        if (n) std::memset((void *)&b[from], round, n * size);                                    \
        break;                                                                                    \
      case 3:                                                                                     \
        std::swap(p, q);                                                                          \
        std::swap(a, b);                                                                          \
        break;                                                                                    \
      case 4:                                                                                     \
        touch##Record<<<1, 64>>>(p, q + from, n < 64 ? int(n) : 64);                              \
        for (std::size_t i = 0; i < n && i < 64; ++i)                                             \
          a[i] = b[from + (n < 64 ? n : 64) - 1 - i];                                             \
        break;                                                                                    \
      }                                                                                           \
      CHECK(prefix##Memcpy(back.data(), p, count * size, cudaMemcpyDeviceToHost) == cudaSuccess); \
      for (std::size_t i = 0; i < count; ++i) CHECK(same(back[i], a[i]));                         \
      CHECK(prefix##Memcpy(back.data(), ConstView(q) + from, n * size,                            \
                           cudaMemcpyDeviceToHost) == cudaSuccess);                               \
      for (std::size_t i = 0; i < n; ++i) CHECK(same(back[i], b[from + i]));                      \
    }                                                                                             \
    CHECK(prefix##Free(p) == cudaSuccess);                                                        \
    CHECK(prefix##Free(q) == cudaSuccess);                                                        \
    std::printf("%s copies\n", name);                                                             \
  }
)";

class RandomLayouts : public testing::TestWithParam<unsigned> {};

TEST_P(RandomLayouts, LieWhereTheAddressFunctionSays) {
  Random random(GetParam());
  std::vector<Case> cases;
  for (int n = 0; n < 10; ++n) {
    Case one;
    one.shape = randomRecord(random, n);
    one.layout = randomLayout(random, one.shape);
    one.elements = 1 + random.below(90);
    cases.push_back(std::move(one));
  }
  const fs::path scratch = scratchFolder();
  std::string program = kProgramStart, calls, expected;
  std::vector<std::string> headers;
  for (const Case &one : cases) {
    const GeneratedNames names = namesFor(one.shape);
    HeaderParts parts{.inVariables = mayBeVariable(one),
                      .operations = allViewOperations(),
                      .ofConst = allViewOperations()};
    if (parts.inVariables)
      parts.operations.insert({ViewOperation::VariableAddress, ViewOperation::VariableSize,
                               ViewOperation::CopyIntoVariable, ViewOperation::CopyOutOfVariable,
                               ViewOperation::VariableOffset});
    const Result<std::string> header = generateHeader(one.shape, one.layout, names, parts);
    ASSERT_TRUE(header) << header.error().text;
    writeText(scratch / names.file, *header);
    headers.push_back(*header);
    program += definitionOf(one.shape) + "#include \"" + names.file + "\"\n" + addressPrinter(one) +
               copyChecker(one);
    calls += "  addressesOf" + one.shape.name + "();\n  copiesOf" + one.shape.name + "();\n";
    expected += expectedAddresses(one) + one.shape.name + " copies\n";
    if (!mayBeVariable(one))
      continue;
    program += variableChecker(one);
    calls += "  variableOf" + one.shape.name + "();\n";
    expected += one.shape.name + " variable 1\n";
  }
  writeText(scratch / (std::string(kSharedSpace) + ".h"), generateSharedHeader(headers, {}));
  writeText(scratch / "program.cu", program + "int main() {\n" + calls + "}\n");
  const Outcome run = runOnCpu(scratch / "program.cu", scratch, "");
  EXPECT_EQ(run.code, 0);
  ASSERT_EQ(run.output, expected) << "in " << scratch;
  fs::remove_all(scratch);
}

/// A plain array whose digits are permuted at random; its extents are constants, or numbers of the
/// allocation.
Case randomArray(Random &random, int number) {
  Case one;
  one.shape.name = fmt::format("Number{}x", number);
  one.shape.fields = {
      {.name = "value", .type = one.shape.name, .extents = {}, .bytes = 8, .alignment = 8}};
  one.shape.bytes = 8;
  one.shape.alignment = 8;
  one.shape.isVectorType = one.shape.isScalar = true;
  one.layout.clusters = {{{0}, 0}};
  analysis::ElementOrder &order = one.layout.order;
  const unsigned lower = 1 + random.below(3);
  for (unsigned d = 0; d < lower; ++d) {
    order.extents.push_back(2 + random.below(7));
    order.texts.emplace_back(random.oneIn(2) ? "n" : "");
  }
  order.digits.resize(lower + 1);
  std::iota(order.digits.begin(), order.digits.end(), 0u);
  for (std::size_t i = order.digits.size(); i > 1; --i)
    std::swap(order.digits[i - 1], order.digits[random.below(static_cast<unsigned>(i))]);
  if (random.oneIn(2))
    for (unsigned d = 0; d <= lower; ++d)
      order.multiples.push_back(random.from(std::vector<std::uint32_t>{1, 1, 3, 8}));
  one.elements = 1 + random.below(300);
  return one;
}

/// Prints where `at` finds each element from the first element's view, and the subscript from one
/// behind it.
std::string coordinatesPrinter(const Case &one, bool mayMove) {
  const std::string extents = extentsGiven(one.layout);
  const GeneratedNames names = namesFor(one.shape);
  std::string arguments, rest = "i";
  for (const std::uint64_t extent : one.layout.order.extents) {
    arguments.insert(0, fmt::format(", int({} % {})", rest, extent));
    rest = fmt::format("({} / {})", rest, extent);
  }
  arguments.insert(0, fmt::format("int({})", rest));
  const std::string print =
      "(const char *)&{}.at(" + arguments + ") - (const char *)p.allocation());\n";
  std::string text = fmt::format("void coordinatesOf{0}() {{\n  {1} p;\n"
                                 "  {2}(&p, {3} * sizeof({0}){4});\n",
                                 one.shape.name, names.view, names.allocate, one.elements, extents);
  text += fmt::format("  for (std::ptrdiff_t i = 0; i < {}; ++i)\n    std::printf(\"%td %td\\n\", "
                      "i, ",
                      one.elements) +
          fmt::format(fmt::runtime(print), "p");
  if (mayMove)
    text += fmt::format("  for (std::ptrdiff_t i = 0; i + 3 < {}; ++i)\n"
                        "    std::printf(\"%td %td\\n\", i + 3, ",
                        one.elements) +
            fmt::format("(const char *)&{}(p + 3)[i] - (const char *)p.allocation());\n",
                        names.constView);
  return text + "  " + names.release + "(p);\n}\n";
}

TEST_P(RandomLayouts, CoordinatesLeadWhereTheAddressFunctionSays) {
  Random random(GetParam());
  const fs::path scratch = scratchFolder();
  std::string program = "#include <cstdio>\n", calls, expected;
  std::vector<std::string> headers;
  for (int n = 0; n < 12; ++n) {
    const Case one = randomArray(random, n);
    const bool mayMove = random.oneIn(2);
    HeaderParts parts{.namesConst = true, .operations = {ViewOperation::At, ViewOperation::Free}};
    if (mayMove)
      (random.oneIn(2) ? parts.operations : parts.ofConst).insert(ViewOperation::Add);
    const GeneratedNames names = namesFor(one.shape);
    const Result<std::string> header = generateHeader(one.shape, one.layout, names, parts);
    ASSERT_TRUE(header) << header.error().text;
    writeText(scratch / names.file, *header);
    headers.push_back(*header);
    program += fmt::format("using {} = double;\n#include \"{}\"\n", one.shape.name, names.file) +
               coordinatesPrinter(one, mayMove);
    calls += "  coordinatesOf" + one.shape.name + "();\n";
    const auto bound = AddressFunction::bind(one.layout, fieldsOf(one.shape), one.elements);
    ASSERT_TRUE(bound) << bound.error().text;
    for (const std::uint64_t first : {0, 3})
      for (std::uint64_t i = first; (first == 0 || mayMove) && i < one.elements; ++i)
        expected += fmt::format("{} {}\n", i, bound->offset(i, 0, 0));
  }
  writeText(scratch / (std::string(kSharedSpace) + ".h"), generateSharedHeader(headers, {}));
  writeText(scratch / "program.cu", program + "int main() {\n" + calls + "}\n");
  const Outcome run = runOnCpu(scratch / "program.cu", scratch, "");
  EXPECT_EQ(run.code, 0);
  ASSERT_EQ(run.output, expected) << "in " << scratch;
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLayouts, testing::Range(1u, 7u));

} // namespace
} // namespace relayout::rewriter::test
