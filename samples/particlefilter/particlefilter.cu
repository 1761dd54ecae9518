// SPDX-License-Identifier: Apache-2.0
// A particle filter follows a bright disk through a noisy video, with systematic resampling.
// See README.md for the model.
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

// One guess of where the disk is and how it moves.
struct Particle {
  float x, y;       // pixels
  float vx, vy;     // pixels a frame
  int manoeuvre;    // 0 straight on, 1 turning left, 2 turning right
  float weight;     // how well the guess explains the video so far
  float cumulative; // weights up to and with this particle's
  int id;
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

__global__ void propagate(Particle *particles, int count, unsigned seed, int frame) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float change = uniform(seed, frame, i, 0);
  int manoeuvre = particles[i].manoeuvre;
  if (change < 0.2f) {
    manoeuvre = change < 0.1f ? 0 : change < 0.15f ? 1 : 2;
    particles[i].manoeuvre = manoeuvre;
  }
  float vx = particles[i].vx, vy = particles[i].vy;
  if (manoeuvre != 0) {
    float sine = manoeuvre == 1 ? sinf(kTurn) : -sinf(kTurn);
    float turned = cosf(kTurn) * vx - sine * vy;
    vy = sine * vx + cosf(kTurn) * vy;
    vx = turned;
  }
  vx += kSpeedNoise * normal(seed, frame, i, 1);
  vy += kSpeedNoise * normal(seed, frame, i, 3);
  particles[i].vx = vx;
  particles[i].vy = vy;
  particles[i].x += vx + kPlaceNoise * normal(seed, frame, i, 5);
  particles[i].y += vy + kPlaceNoise * normal(seed, frame, i, 7);
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

__global__ void weigh(Particle *particles, int count, const float *picture, Video video) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  particles[i].weight *= expf(6.0f * likeness(picture, video, particles[i].x, particles[i].y));
}

__global__ void sumTiles(const Particle *particles, int count, Moments *tiles) {
  __shared__ float weight[kTile], square[kTile], x[kTile], y[kTile];
  int i = blockIdx.x * kTile + threadIdx.x, t = threadIdx.x;
  float w = i < count ? particles[i].weight : 0.0f;
  weight[t] = w;
  square[t] = w * w;
  x[t] = i < count ? w * particles[i].x : 0.0f;
  y[t] = i < count ? w * particles[i].y : 0.0f;
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

__global__ void normalise(Particle *particles, int count, float total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    particles[i].weight /= total;
}

// Running sums of the weights: inside a tile here, of the tiles before it on the host.
__global__ void accumulate(Particle *particles, int count, const float *before, float total) {
  __shared__ float sums[2][kTile];
  int i = blockIdx.x * kTile + threadIdx.x, t = threadIdx.x;
  int from = 0;
  sums[from][t] = i < count ? particles[i].weight : 0.0f;
  for (int distance = 1; distance < kTile; distance *= 2) {
    __syncthreads();
    sums[1 - from][t] = sums[from][t] + (t >= distance ? sums[from][t - distance] : 0.0f);
    from = 1 - from;
  }
  if (i < count)
    particles[i].cumulative = (before[blockIdx.x] + sums[from][t]) / total;
}

// Systematic resampling: the i-th of evenly spaced marks picks the particle whose share it falls
// into.
__global__ void resample(const Particle *particles, int count, float offset, Particle *chosen) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float mark = (i + offset) / count;
  int low = 0, high = count - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (particles[middle].cumulative > mark)
      high = middle;
    else
      low = middle + 1;
  }
  chosen[i] = particles[low];
  chosen[i].weight = 1.0f / count;
  chosen[i].id = i;
}

struct Options {
  int particles = 4096;
  int frames = 8;
  int size = 128; // of a picture's edge, pixels
  unsigned seed = 1;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
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
      std::fprintf(stderr,
                   "usage: %s [--particles N] [--frames N] [--size N] [--seed N] [--check]\n",
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

std::vector<Particle> makeParticles(const Options &options) {
  const Point centre = truth(0, options.size), then = truth(1, options.size);
  std::vector<Particle> particles(options.particles);
  for (int i = 0; i < options.particles; ++i)
    particles[i] = {(float)centre.x + 2.0f * normal(options.seed, 0, i, 0),
                    (float)centre.y + 2.0f * normal(options.seed, 0, i, 2),
                    (float)(then.x - centre.x) + 0.5f * normal(options.seed, 0, i, 4),
                    (float)(then.y - centre.y) + 0.5f * normal(options.seed, 0, i, 6),
                    0,
                    1.0f / options.particles,
                    0.0f,
                    i};
  return particles;
}

// Whether so uneven weights call for resampling.
bool isDegenerate(double weight, double weightSquare, int count) {
  return weight * weight / weightSquare < 0.5 * count;
}

// The same filter, serially and in double precision but for the random numbers.
std::vector<Point> referenceTrack(const Options &options, const std::vector<float> &video) {
  struct Guess {
    double x, y, vx, vy, weight;
    int manoeuvre;
  };
  std::vector<Guess> guesses;
  for (const Particle &p : makeParticles(options))
    guesses.push_back({p.x, p.y, p.vx, p.vy, p.weight, p.manoeuvre});
  const int count = options.particles;
  const std::size_t pixels = (std::size_t)options.size * options.size;
  std::vector<Point> track;
  for (int frame = 1; frame <= options.frames; ++frame) {
    double total = 0.0, square = 0.0;
    Point mean = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
      Guess &g = guesses[i];
      const double change = uniform(options.seed, frame, i, 0);
      if (change < 0.2f)
        g.manoeuvre = change < 0.1f ? 0 : change < 0.15f ? 1 : 2;
      const double turn = g.manoeuvre == 0 ? 0.0 : g.manoeuvre == 1 ? kTurn : -kTurn;
      const double vx = std::cos(turn) * g.vx - std::sin(turn) * g.vy;
      const double vy = std::sin(turn) * g.vx + std::cos(turn) * g.vy;
      g.vx = vx + kSpeedNoise * normal(options.seed, frame, i, 1);
      g.vy = vy + kSpeedNoise * normal(options.seed, frame, i, 3);
      g.x += g.vx + kPlaceNoise * normal(options.seed, frame, i, 5);
      g.y += g.vy + kPlaceNoise * normal(options.seed, frame, i, 7);
      g.weight *= std::exp(6.0 * likeness(video.data() + (frame - 1) * pixels,
                                          {options.size, options.size}, (float)g.x, (float)g.y));
      total += g.weight;
      square += g.weight * g.weight;
      mean.x += g.weight * g.x;
      mean.y += g.weight * g.y;
    }
    track.push_back({mean.x / total, mean.y / total});
    std::vector<Guess> chosen;
    double running = guesses[0].weight;
    for (int i = 0, j = 0; isDegenerate(total, square, count) && i < count; ++i) {
      const double mark = (i + uniform(options.seed, frame, count, 15)) / count * total;
      while (running <= mark && j < count - 1)
        running += guesses[++j].weight;
      chosen.push_back(guesses[j]);
      chosen.back().weight = total / count;
    }
    if (!chosen.empty())
      guesses = chosen;
    for (Guess &g : guesses)
      g.weight /= total;
  }
  return track;
}

bool isRight(const Options &options, const std::vector<float> &video,
             const std::vector<Point> &track) {
  const std::vector<Point> reference = referenceTrack(options, video);
  double farthest = 0.0, worst = 0.0, atFirst = 0.0;
  for (int n = 0; n < options.frames; ++n) {
    const Point real = truth(n + 1, options.size);
    farthest = std::max(farthest, std::hypot(track[n].x - real.x, track[n].y - real.y));
    double error = std::hypot(track[n].x - reference[n].x, track[n].y - reference[n].y);
    if (!(error <= worst)) // also true for NaN
      worst = error;
    if (n == 0)
      atFirst = worst;
  }
  // After the first frame rounding decides here and there which particle is chosen again.
  const bool good = farthest < 0.5 * kRadius && worst < 0.1 && atFirst < 1e-3;
  std::printf(
      "check: at most %.3f pixels from the truth, %.1e from the serial reference, %.1e after "
      "the first frame: %s\n",
      farthest, worst, atFirst, good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const std::vector<float> video = makeVideo(options);
  std::vector<Particle> particles = makeParticles(options);
  const int count = options.particles;
  const std::size_t bytes = particles.size() * sizeof(Particle);
  const int blocks = (count + kTile - 1) / kTile;
  const Video shape = {options.size, options.size};
  std::vector<Moments> tiles(blocks);
  std::vector<float> before(blocks);

  Particle *deviceParticles = nullptr, *deviceChosen = nullptr;
  Moments *deviceTiles = nullptr;
  float *deviceVideo = nullptr, *deviceBefore = nullptr;
  CHECK(cudaMalloc(&deviceParticles, bytes));
  CHECK(cudaMalloc(&deviceChosen, bytes));
  CHECK(cudaMalloc(&deviceTiles, blocks * sizeof(Moments)));
  CHECK(cudaMalloc(&deviceBefore, blocks * sizeof(float)));
  CHECK(cudaMalloc(&deviceVideo, video.size() * sizeof(float)));
  CHECK(cudaMemcpy(deviceParticles, particles.data(), bytes, cudaMemcpyHostToDevice));
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
  CHECK(cudaMemcpy(particles.data(), deviceParticles, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceParticles));
  CHECK(cudaFree(deviceChosen));
  CHECK(cudaFree(deviceTiles));
  CHECK(cudaFree(deviceBefore));
  CHECK(cudaFree(deviceVideo));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  int straight = 0;
  for (const Particle &p : particles)
    straight += p.manoeuvre == 0;
  const Point real = truth(options.frames, options.size);
  std::printf("%d particles, %d frames, %d resamplings: at (%.3f, %.3f), truth (%.3f, %.3f), %d "
              "straight on\n",
              count, options.frames, resamplings, track.back().x, track.back().y, real.x, real.y,
              straight);
  std::printf("kernel time: %.4f ms, %.2f M updates/s\n", elapsedMs,
              1e-3 * count * options.frames / elapsedMs);
  return options.check && !isRight(options, video, track) ? 1 : 0;
}
