// SPDX-License-Identifier: Apache-2.0
// OpenMP's functions for a team of one thread. Found only where the compiler has no omp.h of its
// own; parallel regions then run on one thread, which OpenMP allows.
#pragma once

#ifdef __cplusplus
#include <chrono>
#else
#include <sys/time.h>
#endif

typedef int omp_lock_t;
typedef int omp_nest_lock_t;
typedef enum omp_sched_t {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4
} omp_sched_t;

static inline int omp_get_num_threads() { return 1; }
static inline int omp_get_max_threads() { return 1; }
static inline int omp_get_thread_num() { return 0; }
static inline int omp_get_num_procs() { return 1; }
static inline int omp_get_thread_limit() { return 1; }
static inline int omp_get_num_devices() { return 0; }
static inline int omp_get_default_device() { return 0; }
static inline int omp_get_level() { return 0; }
static inline int omp_get_active_level() { return 0; }
static inline int omp_get_max_active_levels() { return 1; }
static inline int omp_get_ancestor_thread_num(int level) { return level == 0 ? 0 : -1; }
static inline int omp_get_team_size(int level) { return level == 0 ? 1 : -1; }
static inline int omp_in_parallel() { return 0; }
static inline int omp_in_final() { return 0; }
static inline int omp_get_dynamic() { return 0; }
static inline int omp_get_nested() { return 0; }
static inline void omp_set_num_threads(int count) {}
static inline void omp_set_dynamic(int isDynamic) {}
static inline void omp_set_nested(int isNested) {}
static inline void omp_set_max_active_levels(int levels) {}
static inline void omp_set_default_device(int device) {}
static inline void omp_set_schedule(omp_sched_t kind, int chunk) {}
static inline void omp_get_schedule(omp_sched_t *kind, int *chunk) {
  *kind = omp_sched_static;
  *chunk = 0;
}

static inline void omp_init_lock(omp_lock_t *lock) { *lock = 0; }
static inline void omp_destroy_lock(omp_lock_t *lock) {}
static inline void omp_set_lock(omp_lock_t *lock) { *lock = 1; }
static inline void omp_unset_lock(omp_lock_t *lock) { *lock = 0; }
static inline int omp_test_lock(omp_lock_t *lock) { return *lock ? 0 : (*lock = 1); }
static inline void omp_init_nest_lock(omp_nest_lock_t *lock) { *lock = 0; }
static inline void omp_destroy_nest_lock(omp_nest_lock_t *lock) {}
static inline void omp_set_nest_lock(omp_nest_lock_t *lock) { ++*lock; }
static inline void omp_unset_nest_lock(omp_nest_lock_t *lock) { --*lock; }
static inline int omp_test_nest_lock(omp_nest_lock_t *lock) { return ++*lock; }

static inline double omp_get_wtime() {
#ifdef __cplusplus
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#else
  struct timeval now;
  gettimeofday(&now, 0);
  return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
#endif
}
static inline double omp_get_wtick() { return 1e-9; }
