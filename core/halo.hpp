// The values that a rank's rows need of its neighbours' rows: stored after its own, exchanged before a product.
#pragma once

#include <cstdint>
#include <vector>

#include "core/subcommunicator.hpp"

namespace banzuke {

class Halo {
 public:
  struct Neighbour {
    int rank = 0;
    std::vector<std::int32_t> send;  // own rows that it needs, in the order in which it stores them
    std::int64_t receive = 0;        // its rows that are needed here
  };

  // A row has `width` values. `rows` are the rank's own; those received lie after them, neighbour by neighbour in the
  // order given. A pair of ranks must name each other equally often, in the same order.
  Halo(const SubCommunicator& ranks, std::vector<Neighbour> neighbours, std::int64_t rows, int width = 1);

  std::int64_t external() const { return external_; }  // rows received

  // Sends this rank's rows of x and receives the external ones into it. Between the two calls, own rows may be read,
  // the external ones not be touched, and move_on() called now and then. To be called by one thread.
  void start(double* x);
  void move_on() { transfer_.done(); }
  void finish() { transfer_.wait(); }
  void exchange(double* x) {
    start(x);
    finish();
  }

 private:
  Transfer transfer_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> buffer_;
  std::int64_t rows_;
  std::int64_t external_ = 0;
  std::size_t width_;
};

}  // namespace banzuke
