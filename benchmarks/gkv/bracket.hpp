// Kernel fft: the bracket of two fields with f, in real space.
#pragma once

#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "gkv.hpp"

namespace banzuke::gkv {

// Bytes of the rank that needs most.
double bracket_footprint(const Params& params, int ranks);

class Bracket {
 public:
  // Collective; nxw and nyw are chosen.
  Bracket(const Params& params, const Communicator& ranks);

  Times run();
  Work work() const;
  std::vector<Verification> check();
  double working_set() const;
  std::string method() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gkv
