// Halo exchange: the values that a rank's rows need from its neighbours' rows, stored after its own and exchanged
// before a product.
#pragma once

#include <cstdint>
#include <vector>

#include "core/subcommunicator.hpp"

namespace banzuke {

class Halo {
 public:
  struct Neighbour {
    int rank = 0;
    std::vector<std::int32_t> send;  // own rows that the neighbour needs, in the order in which it stores them
    std::int64_t receive = 0;        // number of its rows needed here
  };

  // A row has `width` values. `rows` is the number of the rank's own rows; received rows follow them, neighbour by
  // neighbour in the given order. Each pair of ranks must list each other equally often, in the same order.
  Halo(const SubCommunicator& ranks, std::vector<Neighbour> neighbours, std::int64_t rows, int width = 1);

  std::int64_t external() const { return external_; }  // rows received

  // start() sends this rank's rows of x and receives the external ones into it, until finish(). In between, own rows
  // may be read, external ones must not be touched, and move_on() may be called now and then. Call these from one
  // thread.
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
