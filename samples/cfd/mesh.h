// SPDX-License-Identifier: Apache-2.0
// A tetrahedral mesh of the unit cube: hexahedra with shaken vertices, each cut into six.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

using Vector = std::array<double, 3>;

inline Vector minus(const Vector &a, const Vector &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline Vector cross(const Vector &a, const Vector &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double dot(const Vector &a, const Vector &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct Tetrahedron {
  std::array<int, 4> vertices;
  std::array<int, 4> neighbours = {-1, -1, -1, -1}; // across the face opposite each vertex, or wall
  std::array<Vector, 4> normals;                    // of those faces, outward, as long as the area
  double volume = 0.0;
  Vector centre;
};

class Mesh {
public:
  Mesh(int edge, bool shuffle, unsigned seed) {
    std::mt19937 random(seed);
    makeVertices(edge, random);
    cutHexahedra(edge);
    if (shuffle)
      std::shuffle(tetrahedra_.begin(), tetrahedra_.end(), random);
    for (Tetrahedron &tetrahedron : tetrahedra_)
      measure(tetrahedron);
    connect();
  }
  [[nodiscard]] const std::vector<Tetrahedron> &tetrahedra() const { return tetrahedra_; }

private:
  void makeVertices(int edge, std::mt19937 &random) {
    std::uniform_real_distribution<double> shake(-0.15, 0.15);
    for (int z = 0; z <= edge; ++z)
      for (int y = 0; y <= edge; ++y)
        for (int x = 0; x <= edge; ++x) {
          Vector vertex = {double(x), double(y), double(z)};
          for (double &coordinate : vertex) {
            if (coordinate > 0.0 && coordinate < edge) // walls stay plane
              coordinate += shake(random);
            coordinate /= edge;
          }
          vertices_.push_back(vertex);
        }
  }

  // Every path along the edges from a hexahedron's lowest corner to its highest is a tetrahedron.
  void cutHexahedra(int edge) {
    const int steps[3] = {1, edge + 1, (edge + 1) * (edge + 1)};
    for (int z = 0; z < edge; ++z)
      for (int y = 0; y < edge; ++y)
        for (int x = 0; x < edge; ++x) {
          std::array<int, 3> axes = {0, 1, 2};
          do {
            Tetrahedron tetrahedron;
            tetrahedron.vertices[0] = x * steps[0] + y * steps[1] + z * steps[2];
            for (int n = 0; n < 3; ++n)
              tetrahedron.vertices[n + 1] = tetrahedron.vertices[n] + steps[axes[n]];
            tetrahedra_.push_back(tetrahedron);
          } while (std::next_permutation(axes.begin(), axes.end()));
        }
  }

  void measure(Tetrahedron &t) const {
    t.centre = {0.0, 0.0, 0.0};
    for (int vertex : t.vertices)
      for (int axis = 0; axis < 3; ++axis)
        t.centre[axis] += 0.25 * vertices_[vertex][axis];
    for (int face = 0; face < 4; ++face) {
      const Vector &a = vertices_[t.vertices[(face + 1) % 4]];
      const Vector &b = vertices_[t.vertices[(face + 2) % 4]];
      const Vector &c = vertices_[t.vertices[(face + 3) % 4]];
      const Vector towards = minus(vertices_[t.vertices[face]], a);
      Vector normal = cross(minus(b, a), minus(c, a));
      const double sixfold = dot(normal, towards);
      for (double &component : normal)
        component *= sixfold > 0.0 ? -0.5 : 0.5;
      t.normals[face] = normal;
      t.volume = std::fabs(sixfold) / 6.0;
    }
  }

  // Two tetrahedra are neighbours where they have three vertices in common.
  void connect() {
    struct Face {
      std::array<int, 3> vertices;
      int tetrahedron, number;
    };
    std::vector<Face> faces;
    faces.reserve(4 * tetrahedra_.size());
    for (std::size_t n = 0; n < tetrahedra_.size(); ++n)
      for (int face = 0; face < 4; ++face) {
        const auto &v = tetrahedra_[n].vertices;
        std::array<int, 3> corners = {v[(face + 1) % 4], v[(face + 2) % 4], v[(face + 3) % 4]};
        std::sort(corners.begin(), corners.end());
        faces.push_back({corners, int(n), face});
      }
    std::sort(faces.begin(), faces.end(),
              [](const Face &a, const Face &b) { return a.vertices < b.vertices; });
    for (std::size_t n = 1; n < faces.size(); ++n)
      if (faces[n].vertices == faces[n - 1].vertices) {
        tetrahedra_[faces[n].tetrahedron].neighbours[faces[n].number] = faces[n - 1].tetrahedron;
        tetrahedra_[faces[n - 1].tetrahedron].neighbours[faces[n - 1].number] =
            faces[n].tetrahedron;
      }
  }

  std::vector<Vector> vertices_;
  std::vector<Tetrahedron> tetrahedra_;
};
