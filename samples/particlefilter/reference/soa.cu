// SPDX-License-Identifier: Apache-2.0
// The particle filter of ../particlefilter.cu over structures of arrays. See ../README.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

// The particles' values, each an array.
struct Particles {
  float *x, *y, *vx, *vy;
  int *manoeuvre;
  float *weight, *cumulative;
  int *id;
};

// Sums over the particles of a tile.
struct Moments {
  float weight, weightSquare;
  float x, y; // weighted
};

struct Video {
  int width, height;
};

const int kTile = 256; // particles a block sums
const int kRadius = 5; // of the disk, pixels
const float kBackground = 100.0f, kBright = 228.0f;
const float kTurn = 0.12f;       // radians a frame
const float kSpeedNoise = 0.25f; // pixels a frame
const float kPlaceNoise = 0.5f;  // pixels

// A random number in (0, 1) that depends on nothing but its arguments.
__host__ __device__ inline float uniform(unsigned seed, int frame, int particle, int draw) {
  std::uint64_t bits = (std::uint64_t)seed << 48 ^ (std::uint64_t)(frame * 16 + draw) << 32 ^
                       (std::uint64_t)particle;
  bits = (bits + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
  return ((float)((bits ^ bits >> 31) >> 41) + 0.5f) / 8388608.0f;
}

__host__ __device__ inline float normal(unsigned seed, int frame, int particle, int draw) {
  float radius = sqrtf(-2.0f * logf(uniform(seed, frame, particle, draw)));
  return radius * cosf(6.28318531f * uniform(seed, frame, particle, draw + 1));
}

__global__ void propagate(Particles particles, int count, unsigned seed, int frame) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float change = uniform(seed, frame, i, 0);
  int manoeuvre = particles.manoeuvre[i];
  if (change < 0.2f) {
    manoeuvre = change < 0.1f ? 0 : change < 0.15f ? 1 : 2;
    particles.manoeuvre[i] = manoeuvre;
  }
  float vx = particles.vx[i], vy = particles.vy[i];
  if (manoeuvre != 0) {
    float sine = manoeuvre == 1 ? sinf(kTurn) : -sinf(kTurn);
    float turned = cosf(kTurn) * vx - sine * vy;
    vy = sine * vx + cosf(kTurn) * vy;
    vx = turned;
  }
  vx += kSpeedNoise * normal(seed, frame, i, 1);
  vy += kSpeedNoise * normal(seed, frame, i, 3);
  particles.vx[i] = vx;
  particles.vy[i] = vy;
  particles.x[i] += vx + kPlaceNoise * normal(seed, frame, i, 5);
  particles.y[i] += vy + kPlaceNoise * normal(seed, frame, i, 7);
}

// Mean log-likelihood ratio of bright against background over the disk's pixels. Off the picture
// all is background.
__host__ __device__ inline float likeness(const float *picture, Video video, float x, float y) {
  int centreX = (int)floorf(x + 0.5f), centreY = (int)floorf(y + 0.5f);
  float sum = 0.0f;
  int pixels = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy)
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      if (dx * dx + dy * dy > kRadius * kRadius)
        continue;
      int px = centreX + dx, py = centreY + dy;
      float value = kBackground;
      if (px >= 0 && px < video.width && py >= 0 && py < video.height)
        value = picture[py * video.width + px];
      float fromBackground = value - kBackground, fromBright = value - kBright;
      sum += fromBackground * fromBackground - fromBright * fromBright;
      ++pixels;
    }
  return sum / (pixels * (kBright - kBackground) * (kBright - kBackground));
}

__global__ void weigh(Particles particles, int count, const float *picture, Video video) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  particles.weight[i] *= expf(6.0f * likeness(picture, video, particles.x[i], particles.y[i]));
}

__global__ void sumTiles(Particles particles, int count, Moments *tiles) {
  __shared__ float weight[kTile], square[kTile], x[kTile], y[kTile];
  int i = blockIdx.x * kTile + threadIdx.x, t = threadIdx.x;
  float w = i < count ? particles.weight[i] : 0.0f;
  weight[t] = w;
  square[t] = w * w;
  x[t] = i < count ? w * particles.x[i] : 0.0f;
  y[t] = i < count ? w * particles.y[i] : 0.0f;
  for (int half = kTile / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      weight[t] += weight[t + half];
      square[t] += square[t + half];
      x[t] += x[t + half];
      y[t] += y[t + half];
    }
  }
  if (t == 0) {
    tiles[blockIdx.x].weight = weight[0];
    tiles[blockIdx.x].weightSquare = square[0];
    tiles[blockIdx.x].x = x[0];
    tiles[blockIdx.x].y = y[0];
  }
}

__global__ void normalise(Particles particles, int count, float total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    particles.weight[i] /= total;
}

// Running sums of the weights: inside a tile here, of the tiles before it on the host.
__global__ void accumulate(Particles particles, int count, const float *before, float total) {
  __shared__ float sums[2][kTile];
  int i = blockIdx.x * kTile + threadIdx.x, t = threadIdx.x;
  int from = 0;
  sums[from][t] = i < count ? particles.weight[i] : 0.0f;
  for (int distance = 1; distance < kTile; distance *= 2) {
    __syncthreads();
    sums[1 - from][t] = sums[from][t] + (t >= distance ? sums[from][t - distance] : 0.0f);
    from = 1 - from;
  }
  if (i < count)
    particles.cumulative[i] = (before[blockIdx.x] + sums[from][t]) / total;
}

// Systematic resampling: the i-th of evenly spaced marks picks the particle whose share it falls
// into.
__global__ void resample(Particles particles, int count, float offset, Particles chosen) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float mark = (i + offset) / count;
  int low = 0, high = count - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (particles.cumulative[middle] > mark)
      high = middle;
    else
      low = middle + 1;
  }
  chosen.x[i] = particles.x[low];
  chosen.y[i] = particles.y[low];
  chosen.vx[i] = particles.vx[low];
  chosen.vy[i] = particles.vy[low];
  chosen.manoeuvre[i] = particles.manoeuvre[low];
  chosen.weight[i] = 1.0f / count;
  chosen.id[i] = i;
}

struct Options {
  int particles = 4096;
  int frames = 8;
  int size = 128; // of a picture's edge, pixels
  unsigned seed = 1;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--particles") == 0)
      options.particles = value;
    else if (value > 0 && value < 4096 && std::strcmp(argv[i], "--frames") == 0)
      options.frames = value;
    else if (value > 31 && std::strcmp(argv[i], "--size") == 0)
      options.size = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--particles N] [--frames N] [--size N] [--seed N]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

struct Point {
  double x, y;
};

// Where the disk really is: a Lissajous curve of some two pixels a frame.
Point truth(int frame, int size) {
  double angle = 2.4 * frame / size;
  return {size * (0.5 + 0.3 * std::sin(2.0 * angle)),
          size * (0.5 + 0.3 * std::sin(3.0 * angle + 0.5))};
}

std::vector<float> makeVideo(const Options &options) {
  std::mt19937 random(options.seed);
  std::normal_distribution<float> noise(0.0f, 40.0f);
  std::vector<float> pixels;
  for (int frame = 1; frame <= options.frames; ++frame) {
    const Point centre = truth(frame, options.size);
    for (int y = 0; y < options.size; ++y)
      for (int x = 0; x < options.size; ++x) {
        bool bright = std::hypot(x - centre.x, y - centre.y) <= kRadius;
        pixels.push_back((bright ? kBright : kBackground) + noise(random));
      }
  }
  return pixels;
}

// Whether so uneven weights call for resampling.
bool isDegenerate(double weight, double weightSquare, int count) {
  return weight * weight / weightSquare < 0.5 * count;
}

// One allocation for all values, each starting at a multiple of 128 bytes.
Particles allocate(int count) {
  const std::size_t stride = ((std::size_t)count + 31) / 32 * 32;
  float *values = nullptr;
  CHECK(cudaMalloc(&values, 8 * stride * sizeof(float)));
  CHECK(cudaMemset(values, 0, 8 * stride * sizeof(float)));
  return {values,
          values + stride,
          values + 2 * stride,
          values + 3 * stride,
          reinterpret_cast<int *>(values + 4 * stride),
          values + 5 * stride,
          values + 6 * stride,
          reinterpret_cast<int *>(values + 7 * stride)};
}

template <class T> void upload(T *device, const std::vector<T> &values) {
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
}

Particles makeParticles(const Options &options) {
  const Point centre = truth(0, options.size), then = truth(1, options.size);
  const int count = options.particles;
  std::vector<float> values[4];
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) {
    values[0].push_back((float)centre.x + 2.0f * normal(options.seed, 0, i, 0));
    values[1].push_back((float)centre.y + 2.0f * normal(options.seed, 0, i, 2));
    values[2].push_back((float)(then.x - centre.x) + 0.5f * normal(options.seed, 0, i, 4));
    values[3].push_back((float)(then.y - centre.y) + 0.5f * normal(options.seed, 0, i, 6));
    ids.push_back(i);
  }
  const Particles particles = allocate(count);
  upload(particles.x, values[0]);
  upload(particles.y, values[1]);
  upload(particles.vx, values[2]);
  upload(particles.vy, values[3]);
  upload(particles.weight, std::vector<float>(count, 1.0f / count));
  upload(particles.id, ids);
  return particles;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const std::vector<float> video = makeVideo(options);
  const int count = options.particles;
  const int blocks = (count + kTile - 1) / kTile;
  const Video shape = {options.size, options.size};
  std::vector<Moments> tiles(blocks);
  std::vector<float> before(blocks);

  Particles deviceParticles = makeParticles(options), deviceChosen = allocate(count);
  Moments *deviceTiles = nullptr;
  float *deviceVideo = nullptr, *deviceBefore = nullptr;
  CHECK(cudaMalloc(&deviceTiles, blocks * sizeof(Moments)));
  CHECK(cudaMalloc(&deviceBefore, blocks * sizeof(float)));
  CHECK(cudaMalloc(&deviceVideo, video.size() * sizeof(float)));
  CHECK(
      cudaMemcpy(deviceVideo, video.data(), video.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<Point> track;
  int resamplings = 0;
  CHECK(cudaEventRecord(start));
  for (int frame = 1; frame <= options.frames; ++frame) {
    const float *picture = deviceVideo + (std::size_t)(frame - 1) * options.size * options.size;
    propagate<<<blocks, kTile>>>(deviceParticles, count, options.seed, frame);
    weigh<<<blocks, kTile>>>(deviceParticles, count, picture, shape);
    sumTiles<<<blocks, kTile>>>(deviceParticles, count, deviceTiles);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(tiles.data(), deviceTiles, blocks * sizeof(Moments), cudaMemcpyDeviceToHost));
    double weight = 0.0, weightSquare = 0.0, x = 0.0, y = 0.0;
    for (int tile = 0; tile < blocks; ++tile) {
      before[tile] = (float)weight;
      weight += tiles[tile].weight;
      weightSquare += tiles[tile].weightSquare;
      x += tiles[tile].x;
      y += tiles[tile].y;
    }
    track.push_back({x / weight, y / weight});
    if (!isDegenerate(weight, weightSquare, count)) {
      normalise<<<blocks, kTile>>>(deviceParticles, count, (float)weight);
      continue;
    }
    CHECK(cudaMemcpy(deviceBefore, before.data(), blocks * sizeof(float), cudaMemcpyHostToDevice));
    accumulate<<<blocks, kTile>>>(deviceParticles, count, deviceBefore, (float)weight);
    resample<<<blocks, kTile>>>(deviceParticles, count, uniform(options.seed, frame, count, 15),
                                deviceChosen);
    std::swap(deviceParticles, deviceChosen);
    ++resamplings;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  std::vector<int> manoeuvres(count);
  CHECK(cudaMemcpy(manoeuvres.data(), deviceParticles.manoeuvre, count * sizeof(int),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceParticles.x));
  CHECK(cudaFree(deviceChosen.x));
  CHECK(cudaFree(deviceTiles));
  CHECK(cudaFree(deviceBefore));
  CHECK(cudaFree(deviceVideo));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  int straight = 0;
  for (int manoeuvre : manoeuvres)
    straight += manoeuvre == 0;
  const Point real = truth(options.frames, options.size);
  std::printf("%d particles, %d frames, %d resamplings: at (%.3f, %.3f), truth (%.3f, %.3f), %d "
              "straight on\n",
              count, options.frames, resamplings, track.back().x, track.back().y, real.x, real.y,
              straight);
  std::printf("kernel time: %.4f ms, %.2f M updates/s\n", elapsedMs,
              1e-3 * count * options.frames / elapsedMs);
  return 0;
}
