// Failures that all ranks agree on, so that all take the same path and later collective calls still match.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/communicator.hpp"

namespace banzuke {

// Thrown by every rank with the same message, which goes into the record.
class CommonFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This system cannot do what the case asks for, e.g. a library lacks an optional part. The record marks the case as
// skipped, not as failed.
class Unsupported : public CommonFailure {
 public:
  using CommonFailure::CommonFailure;
};

// Throws a CommonFailure on every rank if any rank passes a failure; the message is the first one. Collective.
void agree(const Communicator& ranks, const std::string& failure);

// Runs `part`; if it throws on any rank, every rank throws. Collective, but `part` itself must not be.
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

// Returns rank 0's value on every rank. Collective.
std::uint64_t of_first_rank(const Communicator& ranks, std::uint64_t value);

}  // namespace banzuke
