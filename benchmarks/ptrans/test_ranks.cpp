// Transpositions over grids of ranks.
#include <omp.h>

#include <numeric>
#include <string>

#include "core/testing.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

class Ranks : public RankTests {
 public:
  using RankTests::RankTests;

  void run() {
    omp_set_num_threads(2);
    for (int p = 1; p <= ranks_.size(); ++p) {
      if (ranks_.size() % p != 0) continue;
      for (const std::int64_t n : {1, 30, 101}) {
        for (const std::int64_t nb : {3, 8}) transpose({.n = n, .nb = nb, .p = p, .q = ranks_.size() / p});
      }
    }
  }

 private:
  void transpose(const Params& params) {
    name_ = "n = " + std::to_string(params.n) + ", nb = " + std::to_string(params.nb) + ", " +
            std::to_string(params.p) + " rows of ranks";
    Ptrans ptrans(params, ranks_);
    ptrans.run();
    ptrans.run();
    expect(ptrans.wrong(2) == 0, "the sum");
    Hosts together;
    together.of_rank.assign(static_cast<std::size_t>(ranks_.size()), 0);
    expect(ptrans.sent(together) == 0.0, "what leaves the only host");
    Hosts apart;
    apart.of_rank.resize(static_cast<std::size_t>(ranks_.size()));
    std::iota(apart.of_rank.begin(), apart.of_rank.end(), 0);
    double sent = ptrans.sent(apart);
    ranks_.sum({&sent, 1});
    expect(sent == bytes_that_move(params), "what leaves hosts of one rank");
    if (ptrans.first() == nullptr) return;
    *ptrans.first() += 1.0;
    expect(ptrans.wrong(2) == 1, "an element that is wrong");
  }

  // Counts the elements whose transposed place is on another rank.
  static double bytes_that_move(const Params& params) {
    double bytes = 0.0;
    for (std::int64_t row = 0; row < params.n; ++row) {
      for (std::int64_t column = 0; column < params.n; ++column) {
        const std::int64_t i = row / params.nb;
        const std::int64_t j = column / params.nb;
        if (i % params.p != j % params.p || i % params.q != j % params.q) bytes += sizeof(double);
      }
    }
    return bytes;
  }
};

}  // namespace
}  // namespace banzuke::ptrans

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  try {
    banzuke::ptrans::Ranks tests(ranks);
    tests.run();
    return tests.all_right() ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
