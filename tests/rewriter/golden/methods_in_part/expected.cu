// Methods that do not access all that they write on every path, and so cannot store a copy back.
// clang-format off
#include <cstdio>
#include <vector>

#define SIDES __host__ __device__

struct Vec3 {
  float x, y, z;
};

enum { kMostContacts = 4 };

struct Contact {
  Vec3 normal;
  int count;
  float depth[kMostContacts];
  double impulse;
  enum Kind { kNone, kSome } kind;

  SIDES void reset() { count = 0; kind = kNone; }

  // Keeps the deepest.
  SIDES void add(float d, const Vec3 &n = {0, 1, 0})
  {
    int slot = count;
    if (count == kMostContacts) {
      slot = 0;
      for (int k = 1; k < kMostContacts; ++k)
        if (depth[k] < depth[slot])
          slot = k;
      if (this->depth[slot] >= d)
        return;
    } else {
      ++count;
    }
    depth[slot] = d;
    normal = n;
    mark();
  }

  SIDES void mark() { if (count > 2) kind = kSome; }
  SIDES float sum() const { float s = 0; for (int k = 0; k < count; ++k) s += depth[k]; return s; }
};
#include "contact_layout.h"

inline SIDES void markContact(ContactView contact) { if (contact.count() > 2) contact.kind() = Contact::kSome; }

inline SIDES void addContact(ContactView contact, float d, const Vec3 &n = {0, 1, 0})
{
  int slot = contact.count();
  if (contact.count() == kMostContacts) {
    slot = 0;
    for (int k = 1; k < kMostContacts; ++k)
      if (contact.depth()[k] < contact.depth()[slot])
        slot = k;
    if (contact.depth()[slot] >= d)
      return;
  } else {
    ++contact.count();
  }
  contact.depth()[slot] = d;
  contact.normal() = n;
  markContact(contact);
}

class Ball {
  float v;

public:
  float x;
  int bounces;

  __host__ __device__ void start(float from, float speed) { x = from; v = speed; bounces = 0; }
  __device__ void move() { x += v; }
  __device__ bool bounce(float low) {
    if (x >= low)
      return false;
    x = 2 * low - x;
    v = -v;
    ++bounces;
    return true;
  }
};
#include "ball_layout.h"

inline __device__ bool bounceBall(BallView ball, float low) {
  if (ball.x() >= low)
    return false;
  ball.x() = 2 * low - ball.x();
  ball.v() = -ball.v();
  ++ball.bounces();
  return true;
}

__global__ void collide(ContactView contacts, BallView balls, int *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  ContactView own = contacts + i;
  {
    Contact element = own.load();
    element.reset();
    own.count() = element.count;
    own.kind() = element.kind;
  }
  for (int k = 0; k < 6; ++k)
    addContact(contacts + i, float((i * 7 + k * 5) % 11));
  if (i % 3 == 0)
    addContact(own, 20.0f, {1, 0, 0});
  own.impulse() += own.load().sum();
  {
    Ball element = balls.load(i);
    element.move();
    balls.x(i) = element.x;
  }
  if (bounceBall(balls + i, -1.0f))
    hits[i] += 1;
}

int main() {
  const int n = 300;
  std::vector<Contact> host(n);
  std::vector<Ball> thrown(n);
  std::vector<int> counts(n);
  for (int i = 0; i < n; ++i) {
    host[i].impulse = i;
    thrown[i].start(0.5f * (i % 9), -1.0f - i % 4);
  }
  Contact spare = host[0];
  spare.reset();
  spare.add(2.0f);
  ContactView contacts;
  BallView balls;
  int *hits;
  contactMalloc(&contacts, n * sizeof(Contact));
  ballMalloc(&balls, n * sizeof(Ball));
  cudaMalloc(&hits, n * sizeof(int));
  cudaMemset(hits, 0, n * sizeof(int));
  contactMemcpy(contacts, host.data(), n * sizeof(Contact), cudaMemcpyHostToDevice);
  ballMemcpy(balls, thrown.data(), n * sizeof(Ball), cudaMemcpyHostToDevice);
  for (int t = 0; t < 3; ++t)
    collide<<<(n + 63) / 64, 64>>>(contacts, balls, hits, n);
  contactMemcpy(host.data(), contacts, n * sizeof(Contact), cudaMemcpyDeviceToHost);
  ballMemcpy(thrown.data(), balls, n * sizeof(Ball), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts.data(), hits, n * sizeof(int), cudaMemcpyDeviceToHost);
  double sum = spare.depth[0];
  for (int i = 0; i < n; ++i)
    sum += host[i].impulse + host[i].normal.x + host[i].kind + thrown[i].x * thrown[i].bounces + counts[i];
  std::printf("%g\n", sum);
}
