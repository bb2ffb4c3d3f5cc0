// Failures that ranks agree on, so that all of them end the same way and can still meet.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/communicator.hpp"

namespace banzuke {

// Thrown by every rank with the same words: the record is written, and says them.
class CommonFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This system cannot do what the case asks for, as a library without an optional part: the record says that it was
// skipped, and nothing failed.
class Unsupported : public CommonFailure {
 public:
  using CommonFailure::CommonFailure;
};

// Throws a CommonFailure where any rank has a failure to tell: the words of the first one. Collective.
void agree(const Communicator& ranks, const std::string& failure);

// What `part` throws on any rank every rank throws. Collective; `part` itself must not be.
template <class Part>
void together(const Communicator& ranks, Part&& part) {
  std::string failure;
  try {
    std::forward<Part>(part)();
  } catch (const std::exception& error) {
    failure = error.what();
    if (failure.empty()) failure = "failed without a word";
  }
  agree(ranks, failure);
}

// Rank 0's number on every rank. Collective.
std::uint64_t of_first_rank(const Communicator& ranks, std::uint64_t value);

}  // namespace banzuke
