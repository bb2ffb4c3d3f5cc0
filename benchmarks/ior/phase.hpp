// One phase on all ranks: everything between the barrier and the closing of the last file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/array.hpp"
#include "core/storage/contents.hpp"
#include "core/storage/work_folder.hpp"
#include "file.hpp"
#include "ior.hpp"
#include "layout.hpp"
#include "timeline.hpp"

namespace banzuke::ior {

// What this rank did in a phase.
struct Moved {
  std::int64_t transfers = 0;
  double opened = 0.0;            // from the barrier until its file was open
  double transferred = 0.0;       // until its transfers were done, and synchronised if requested
  double seconds = 0.0;           // until its file was closed
  bool stopped = false;           // at most_seconds
  std::int64_t at_stonewall = 0;  // transfers
  double stonewall_seconds = 0.0;
  Timeline timeline;
};

// Data that was read back wrong.
struct Wrong {
  std::int64_t transfers = 0;
  std::string first;  // empty: none
};

// A rank's memory for its transfers, allocated before there are any files.
struct Memory {
  Memory(const Params& params, std::uint64_t seed);

  Contents contents;
  Array<std::byte> read;
};

class Phases {
 public:
  Phases(const Params& params, const Context& context, const WorkFolder& folder, Memory& memory);

  // All are collective. If a rank fails, all files are closed, and a CommonFailure is thrown.
  // At most `count` transfers.
  Moved write(const Part& part, std::int64_t count);
  // The first `count` transfers written of the part.
  Moved read(const Part& part, std::int64_t count);
  // Reads the transfers again and compares them; `writer` is the rank that wrote them.
  Wrong verify(const Part& part, std::int64_t count, int writer);

 private:
  struct Limits {  // seconds; 0: none
    double stonewall = 0.0;
    double most_seconds = 0.0;
  };
  Limits limits() const { return {.stonewall = params_.stonewall, .most_seconds = params_.most_seconds}; }

  template <class One>
  Moved run(const Opening& opening, std::int64_t count, Limits limits, const One& one);
  template <class One>
  void transfer(Moved& moved, std::int64_t count, double until, const One& one);
  bool stop(bool own) const;
  void tell(std::int64_t transfers, double seconds);

  const Params& params_;
  const Context& context_;
  const WorkFolder& folder_;
  Memory& memory_;
  std::int64_t unchecked_;  // transfers between two clock readings
  std::int64_t steps_ = 0;  // transfers of completed phases
  double told_ = 0.0;
};

}  // namespace banzuke::ior
