// Copy functions that name parts of members: one by one, by subscripts, and inside unions.
#include <cstdio>
#include <vector>

class Vector {
public:
  __host__ __device__ Vector() : m_{0, 0, 0} {}
  __host__ __device__ Vector(float x, float y, float z) : m_{x, y, z} {}
  __host__ __device__ Vector(const Vector &other) {
    m_[0] = other[0];
    m_[1] = other.y();
    m_[2] = other.m_[2];
  }
  __host__ __device__ Vector &operator=(const Vector &other) {
    m_[0] = other[0];
    m_[1] = other[1];
    m_[2] = other[2];
    return *this;
  }
  __host__ __device__ const float &operator[](int i) const { return m_[i]; }
  __host__ __device__ float &operator[](int i) { return m_[i]; }
  __host__ __device__ float y() const { return m_[1]; }

private:
  float m_[3];
};

struct Place {
  union {
    float x, r;
  };
  union {
    float y, g;
  };
  __host__ __device__ Place() : x(0), y(0) {}
  __host__ __device__ Place(float x, float y) : x(x), y(y) {}
  __host__ __device__ Place(const Place &other) : x(other.x), y(other.y) {}
  __host__ __device__ Place &operator=(const Place &other) {
    this->x = other.x;
    this->y = other.g;
    return *this;
  }
  __host__ __device__ Place &operator+=(const Place &other) {
    this->x += other.x;
    this->y += other.y;
    return *this;
  }
};
#include "place_layout.h"

struct Body {
  Vector velocity;
  Place place;
  float mass;
  __host__ __device__ Body() : mass(1) {}
  __host__ __device__ Body(const Body &other) : velocity(other.velocity), mass(other.mass) {
    place.x = other.place.x;
    place.y = other.place.y;
  }
  __host__ __device__ Body &operator=(const Body &other) {
    velocity = other.velocity;
    place = other.place;
    mass = other.mass;
    return *this;
  }
};
#include "body_layout.h"

__global__ void move(BodyView bodies, PlaceView places, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body body = bodies.load(i);
  body.place += Place(dt * body.velocity[0], dt * body.velocity[1]);
  bodies.store(i, body);
  {
    Place element = places.load(i);
    element += bodies.place(i);
    places.store(i, element);
  }
}

int main() {
  const int n = 300;
  std::vector<Body> host(n);
  std::vector<Place> hostPlaces(n, Place(1, 2));
  for (int i = 0; i < n; ++i) {
    host[i].velocity = Vector(1.0f * i, 2, 3);
    host[i].place = Place(i, 1);
  }
  BodyView bodies = nullptr;
  PlaceView places = nullptr;
  bodyMalloc(&bodies, n * sizeof(Body));
  placeMalloc(&places, n * sizeof(Place));
  bodyMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  placeMemcpy(places, hostPlaces.data(), n * sizeof(Place), cudaMemcpyHostToDevice);
  move<<<(n + 127) / 128, 128>>>(bodies, places, n, 0.5f);
  bodyMemcpy(host.data(), bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
  placeMemcpy(hostPlaces.data(), places, n * sizeof(Place), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].place.x + host[i].velocity[2] + hostPlaces[i].y;
  std::printf("%f\n", sum);
  bodyFree(bodies);
  placeFree(places);
}
