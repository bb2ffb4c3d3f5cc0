// Private data of each thread of a rank, and simultaneous work of all threads on it.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/json.hpp"
#include "core/team.hpp"

namespace banzuke::memory {

std::int64_t base_page();

class ThreadData {
 public:
  // Allocates `bytes` bytes for each thread, untouched. `base`: on base pages, whatever pages other arrays use.
  ThreadData(std::int64_t bytes, bool base);

  std::size_t threads() const { return starts_.size(); }

  // Calls part(thread, its data) on every thread.
  template <class Part>
  void on_each(Part part) {
    const auto threads = static_cast<int>(starts_.size());
#pragma omp parallel num_threads(threads)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      part(thread, starts_[thread]);
    }
  }

  // The same, started simultaneously; returns seconds of the slowest.
  template <class Part>
  double time_each(Part part) {
    Barrier barrier(static_cast<int>(starts_.size()));
    double slowest = 0.0;
    on_each([&](std::size_t thread, std::byte* start) {
      barrier.wait();
      const double begin = now();
      part(thread, start);
      const double seconds = now() - begin;
#pragma omp critical
      slowest = seconds > slowest ? seconds : slowest;
    });
    return slowest;
  }

  Json::Object conditions() const;

 private:
  std::list<Array<std::byte>> arrays_;
  std::vector<std::byte*> starts_;
};

}  // namespace banzuke::memory
