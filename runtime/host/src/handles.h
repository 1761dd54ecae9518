// SPDX-License-Identifier: Apache-2.0
// Executor: the objects behind the handles that CUDA hands out. They are the runtime's until the
// program destroys them, as a context's are: one that a program never destroys is no leak of its
// memory, and one that it destroys twice is an error instead of a wild access.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace relayout::host {

template <class Object> class Handles {
public:
  /// All objects of the type, for the life of the process: programs use handles until they exit.
  static Handles &instance() {
    static auto *const kHandles = new Handles;
    return *kHandles;
  }

  Object *add(std::unique_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    Object *const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  /// \returns  false where no such object is alive
  bool destroy(const Object *handle) {
    const std::scoped_lock lock(mutex_);
    return objects_.erase(handle) != 0;
  }

  /// Whether `holds` is true of some object that is alive.
  template <class Predicate> bool any(Predicate holds) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(objects_, [&](const auto &entry) { return holds(*entry.second); });
  }

private:
  std::mutex mutex_;
  std::unordered_map<const Object *, std::unique_ptr<Object>> objects_;
};

/// Makes an object that lives until `destroyHandle`.
template <class Object> Object *makeHandle(Object object) {
  return Handles<Object>::instance().add(std::make_unique<Object>(std::move(object)));
}

template <class Object> bool destroyHandle(const Object *handle) {
  return Handles<Object>::instance().destroy(handle);
}

} // namespace relayout::host
