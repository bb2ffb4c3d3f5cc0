// Compares our Triad with other implementations, our Copy with the runtime's copy within device memory, and our Triad
// with the theoretical rate of the memory.
// Usage: bench-stream-cuda [TURNS [ELEMENTS]]
#include <algorithm>
#include <cmath>

#include "bench_gpu_plain.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "loops.hpp"
#include "stream.hpp"

namespace {

using namespace banzuke;
using stream::Kernel;

// The values of all elements of a and c; b stays 2.
struct Replayed {
  void triad() { a = b + stream::scalar * c; }
  void copy() { c = a; }
  double a = 1.0, b = 2.0, c = 0.0;
};

// Returns the largest relative error of one array's elements, which are read in pieces.
double largest(const stream::Read& read, std::size_t array, double expected) {
  double error = 0.0;
  read(array, [&](std::span<const double> piece) {
    for (const double value : piece) {
      const double off = std::abs(value - expected) / expected;
      if (!(off <= error) && !std::isnan(error)) error = off;  // NaN stays
    }
  });
  return error;
}

class Plain {
 public:
  explicit Plain(std::int64_t n)
      : a_(static_cast<std::size_t>(n)), b_(static_cast<std::size_t>(n)), c_(static_cast<std::size_t>(n)) {
    launch_fill(arrays(), stream_);
    stream_.wait();
  }

  double triad(stream::Way way) {
    timer_.start();
    launch_triad(way, arrays(), stream_);
    return timer_.stop();
  }
  double copy() {
    timer_.start();
    gpu::copy(c_.data(), a_.data(), a_.size(), stream_);
    return timer_.stop();
  }
  void read(std::size_t array, const stream::Piece& piece) {
    std::vector<double> values(a_.size());
    gpu::download<double>(values, array == 0 ? a_ : c_, stream_);
    piece(values);
  }

 private:
  stream::DeviceArrays arrays() { return {static_cast<std::int64_t>(a_.size()), a_.data(), b_.data(), c_.data()}; }

  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
  gpu::DeviceBuffer<double> a_, b_, c_;
};

bool compare(std::int64_t n, int turns) {
  stream::Stream ours({.n = n});
  Plain plain(n);
  Replayed of_ours;
  Replayed of_plain;
  std::vector<TimedWay> all_ways{{"Triad",
                                  [&] {
                                    of_ours.triad();
                                    return ours.run(Kernel::triad);
                                  }},
                                 {"Copy",
                                  [&] {
                                    of_ours.copy();
                                    return ours.run(Kernel::copy);
                                  }},
                                 {"runtime's", [&] {
                                    of_plain.copy();
                                    return plain.copy();
                                  }}};
  const std::size_t others = all_ways.size();
  for (const stream::Way way : stream::ways) {
    all_ways.push_back({"", [&, way] {
                          of_plain.triad();
                          return plain.triad(way);
                        }});
  }
  const auto seconds = take_turns(all_ways, turns);
  const double triad = stream::work(Kernel::triad, n).counted;
  const double copy = stream::work(Kernel::copy, n).counted;
  if (const double peak = gpu::current().memory_rate; peak > 0.0) {
    gpu::Pair part{.subject = "Triad",
                   .beside = "the memory's theoretical rate",
                   .ratios = {},
                   .rate = triad / median(seconds[0]),
                   .beside_rate = peak,
                   .unit = "B/s"};
    for (const double took : seconds[0]) part.ratios.push_back(triad / took / peak);
    gpu::tell(part, "triad of peak");
  }
  for (std::size_t i = 0; i < stream::ways.size(); ++i) {
    gpu::tell(gpu::pair_of("Triad", stream::way_names[i], seconds[0], seconds[others + i], triad, "B/s"));
  }
  gpu::tell(gpu::pair_of("Copy", "the runtime's copy", seconds[1], seconds[2], copy, "B/s"));

  bool all = true;
  const auto check = [&](const std::string& whose, const stream::Read& read, const Replayed& expected) {
    all = gpu::right(whose + " a", largest(read, 0, expected.a), stream::tolerance) && all;
    all = gpu::right(whose + " c", largest(read, 2, expected.c), stream::tolerance) && all;
  };
  check("our", [&](std::size_t array, const stream::Piece& piece) { ours.read(array, piece); }, of_ours);
  check("the other", [&](std::size_t array, const stream::Piece& piece) { plain.read(array, piece); }, of_plain);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int many = 100;  // the elements triple with each turn
  const int turns = std::min(positive_argument(argc, argv, 1, 21), many);
  const int n = positive_argument(argc, argv, 2, 1 << 28);
  return gpu::run_beside([&] { return compare(n, turns); });
}
