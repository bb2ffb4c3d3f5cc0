// What several test files need.
#pragma once

#include "core/communicator.hpp"

namespace banzuke::fft {

// MPI starts once in a process.
inline const Communicator& alone() {
  static int count = 0;
  static char** words = nullptr;
  static const Communicator ranks(count, words);
  return ranks;
}

}  // namespace banzuke::fft
