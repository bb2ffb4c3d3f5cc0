// Where the messages of a rank lie, and how they get to MPI: implemented for host memory (mpi.cpp) and for devices
// (gpu_buffers.cpp), chosen by the linker.
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

  virtual std::byte* out() = 0;  // what MPI is handed: host code may follow it only where `host()` is true
  virtual std::byte* in() = 0;
  virtual bool host() const = 0;
  // Writes the first bytes of both, as OSU does before each size.
  virtual void write(std::int64_t size) = 0;
  // A message at `offset` of what is sent, and the bytes of one that arrived otherwise.
  virtual void fill_out(std::int64_t offset, std::int64_t size, std::uint64_t seed) = 0;
  virtual std::int64_t wrong_in(std::int64_t offset, std::int64_t size, std::uint64_t seed) = 0;
  // True: exchange() takes the place of MPI's calls on out() and in().
  virtual bool staged() const = 0;
  virtual void exchange(Exchange kind, bool first, const Traffic& traffic) = 0;
  virtual Json::Object conditions() const = 0;
};

// After MPI is initialised. Throws UsageError where this MPI library cannot be handed such buffers.
std::unique_ptr<Buffers> make_buffers(const Params& params, bool first);
std::unique_ptr<Buffers> make_host_buffers(const Params& params);

}  // namespace banzuke::pt2pt
