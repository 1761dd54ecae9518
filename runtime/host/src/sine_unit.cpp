// SPDX-License-Identifier: Apache-2.0
// Executor: the sine of a GPU's special function unit, to the last bit. The unit takes the argument
// in turns, cut to 25 bits behind the point, and interpolates a quarter wave with 64 quadratics
// whose square term leaves out its low partial products (the scheme of Oberman and Siu, 2005). The
// coefficients are the only integers that give all of 7.4 million results of an H200.
#include "device_intrinsics.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace relayout::host::detail {
namespace {

constexpr int kTurnBits = 25;
constexpr int kQuarterBits = kTurnBits - 2;
constexpr int kPlaceBits = kQuarterBits - 6; ///< within one of the 64 pieces
constexpr int kResultBits = 37;              ///< behind the point, before the result is a float
constexpr float kTurnsPerRadian = 0.15915494f;

struct Piece {
  std::int32_t constant; ///< in 2^-25
  std::int32_t linear;
  std::int32_t square;
};
constexpr Piece kPieces[64] = {
    {0, 25737, -14},          {823463, 25730, -48},     {1646436, 25706, -76},
    {2468414, 25668, -110},   {3288906, 25613, -137},   {4107418, 25544, -171},
    {4923453, 25459, -201},   {5736526, 25358, -229},   {6546141, 25243, -262},
    {7351816, 25112, -292},   {8153060, 24966, -322},   {8949394, 24805, -352},
    {9740335, 24629, -381},   {10525413, 24438, -410},  {11304145, 24233, -441},
    {12076070, 24013, -470},  {12840725, 23778, -497},  {13597643, 23529, -525},
    {14346367, 23266, -553},  {15086452, 22989, -581},  {15817450, 22698, -608},
    {16538916, 22394, -637},  {17250422, 22076, -664},  {17951542, 21744, -688},
    {18641840, 21400, -715},  {19320916, 21042, -738},  {19988350, 20672, -763},
    {20643746, 20290, -790},  {21286703, 19895, -812},  {21916841, 19489, -839},
    {22533776, 19070, -859},  {23137138, 18640, -881},  {23726565, 18199, -904},
    {24301698, 17747, -926},  {24862194, 17284, -946},  {25407711, 16811, -967},
    {25937924, 16328, -988},  {26452518, 15834, -1004}, {26951170, 15332, -1025},
    {27433593, 14820, -1043}, {27899488, 14299, -1059}, {28348583, 13769, -1074},
    {28780594, 13232, -1093}, {29195273, 12686, -1107}, {29592364, 12133, -1123},
    {29971632, 11572, -1136}, {30332846, 11004, -1148}, {30675788, 10430, -1162},
    {31000253, 9849, -1172},  {31306042, 9263, -1185},  {31592974, 8671, -1196},
    {31860879, 8073, -1203},  {32109590, 7471, -1213},  {32338961, 6864, -1220},
    {32548845, 6254, -1230},  {32739132, 5639, -1236},  {32909694, 5021, -1242},
    {33060432, 4400, -1247},  {33191257, 3776, -1250},  {33302087, 3151, -1258},
    {33392857, 2523, -1260},  {33463517, 1893, -1260},  {33514014, 1263, -1263},
    {33544326, 632, -1265}};

/// The square in 2^19, without the partial products of a smaller weight.
std::int64_t cutSquare(std::uint32_t place) {
  std::int64_t sum = 0;
  for (int i = 10; i < kPlaceBits; ++i)
    if ((place >> i & 1) != 0) {
      const std::uint32_t below = place & ((1u << i) - 1) & ~((1u << (18 - i)) - 1);
      sum += (static_cast<std::int64_t>(below) << (i + 1)) + (std::int64_t{1} << 2 * i);
    }
  return sum >> 19;
}

float cutToFloat(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, 0.0f) : nearest;
}

/// \param quarter  in 2^-23 of a quarter wave
float quarterWave(std::uint32_t quarter) {
  const Piece &piece = kPieces[quarter >> kPlaceBits];
  const std::uint32_t place = quarter & ((1u << kPlaceBits) - 1);
  const std::int64_t value = (static_cast<std::int64_t>(piece.constant) << (kResultBits - 25)) +
                             static_cast<std::int64_t>(piece.linear) * place +
                             piece.square * cutSquare(place);
  return cutToFloat(std::ldexp(static_cast<double>(value), -kResultBits));
}

/// \param quarters  the quarter turns that the wave is ahead of a sine
float wave(float radians, std::uint32_t quarters) {
  if (!std::isfinite(radians))
    return std::numeric_limits<float>::quiet_NaN();
  const float turns = cutToFloat(static_cast<double>(std::fabs(radians)) * kTurnsPerRadian);
  const auto fixed =
      static_cast<std::uint32_t>(std::ldexp(std::fmod(static_cast<double>(turns), 1.0), kTurnBits));
  const std::uint32_t quadrant = (fixed >> kQuarterBits) + quarters;
  const std::uint32_t quarter = fixed & ((1u << kQuarterBits) - 1);
  const std::uint32_t mirrored = ~quarter & ((1u << kQuarterBits) - 1);
  const float value = quarterWave((quadrant & 1) != 0 ? mirrored : quarter);
  return (quadrant & 2) != 0 ? -value : value;
}

} // namespace

float unitSine(float radians) {
  const float sine = wave(radians, 0);
  return std::signbit(radians) ? -sine : sine;
}

float unitCosine(float radians) { return wave(radians, 1); }

} // namespace relayout::host::detail
