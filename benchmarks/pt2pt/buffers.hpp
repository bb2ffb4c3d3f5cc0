// Where a rank's messages are, and how they get to MPI: implemented for host memory (mpi.cpp) and for devices
// (gpu_buffers.cpp), chosen at link time.
#pragma once

#include <cstdint>
#include <memory>

#include "pt2pt.hpp"
#include "traffic.hpp"

namespace banzuke::pt2pt {

class Buffers {
 public:
  Buffers() = default;
  virtual ~Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  virtual std::byte* out() = 0;  // what MPI gets: host code may dereference it only if `host()` is true
  virtual std::byte* in() = 0;
  virtual bool host() const = 0;
  // Writes the first bytes of both, as OSU's benchmarks do before each size.
  virtual void write(std::int64_t size) = 0;
  // Fills a message at `offset` of the send buffer; counts the wrong bytes of a received one.
  virtual void fill_out(std::int64_t offset, std::int64_t size, std::uint64_t seed) = 0;
  virtual std::int64_t wrong_in(std::int64_t offset, std::int64_t size, std::uint64_t seed) = 0;
  // True: exchange() replaces MPI calls on out() and in().
  virtual bool staged() const = 0;
  virtual void exchange(Exchange kind, bool first, const Traffic& traffic) = 0;
  virtual Json::Object conditions() const = 0;
};

// Call after MPI_Init. Throws UsageError if this MPI library does not accept such buffers.
std::unique_ptr<Buffers> make_buffers(const Params& params, bool first);
std::unique_ptr<Buffers> make_host_buffers(const Params& params);

}  // namespace banzuke::pt2pt
