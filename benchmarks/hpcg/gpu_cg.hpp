// CG on a device: the host queues a whole set, and the scalars stay on the device.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "gpu_views.hpp"
#include "profile.hpp"
#include "reference.hpp"

namespace banzuke::hpcg {

// The matrix operations of an iteration.
struct Method {
  // y = A x; stores the sum of x y for each block in `sums` and returns the number of sums, or 0 if it makes none.
  std::function<std::int64_t(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y,
                             gpu::DevicePointer<double> sums)>
      multiply;
  std::function<void(gpu::DevicePointer<double> r, gpu::DevicePointer<double> z)> precondition;  // empty: z = r
};

class Cg {
 public:
  // Vectors have n elements plus the external ones; `most_sums`: maximum number of sums of one product.
  Cg(const SubCommunicator& ranks, std::int64_t n, std::int64_t external, std::int64_t most_sums,
     const gpu::Stream& stream);

  gpu::DevicePointer<double> b() { return b_.data(); }
  gpu::DevicePointer<double> x() { return x_.data(); }
  gpu::DevicePointer<double> p() { return p_.data(); }
  gpu::DevicePointer<double> ap() { return ap_.data(); }
  gpu::DevicePointer<double> r() { return r_.data(); }
  gpu::DevicePointer<double> z() { return z_.data(); }
  gpu::DevicePointer<double> sums() { return sums_.data(); }

  // Solves from x = 0, with at most `iterations` iterations or until the reduction is reached. With a reduction above 0
  // or with `report`, the host waits for each iteration.
  Convergence solve(const Method& method, std::int64_t iterations, double reduction,
                    const std::function<void(std::int64_t)>& report = {});
  // Breakdown of the last solve's time, by the device's clock.
  const Profile& profile() const { return profile_; }
  double bytes() const;

  // Queue the parts of an iteration.
  void dot(gpu::DevicePointer<double> x, gpu::DevicePointer<double> y, Sum sum);
  void direct(gpu::DevicePointer<double> z);  // p = z + beta p
  void step();                                // x += alpha p; r -= alpha A p; the new r squared

 private:
  void finish(std::int64_t blocks, Sum sum);
  void add_other_ranks(std::int64_t blocks);
  // Copies the norm of r into `to`, valid after a wait for the stream.
  void fetch_norm(int to);
  double norm(int of) const;
  void lap(Part part);
  void read_laps();

  const SubCommunicator& ranks_;
  const gpu::Stream& stream_;
  std::int64_t n_;
  gpu::DeviceBuffer<double> b_, x_, p_, ap_, r_, z_, sums_, scalars_;
  gpu::PinnedBuffer<double> norms_;  // squared: first and last
  gpu::PinnedBuffer<double> part_;   // this rank's part of a sum
  double allreduce_ = 0.0;           // seconds for adding the other ranks' parts
  std::deque<gpu::Event> moments_;
  std::vector<Part> parts_;  // the parts that end at the moments from the second on
  Profile profile_;
};

}  // namespace banzuke::hpcg
