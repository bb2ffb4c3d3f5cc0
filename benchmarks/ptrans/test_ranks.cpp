// Transpositions over grids of ranks.
#include <omp.h>

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
    if (ranks_.size() == 1 || ptrans.first() == nullptr) return;
    *ptrans.first() += 1.0;
    expect(ptrans.wrong(2) == 1, "an element that is wrong");
    Hosts apart;
    apart.of_rank.clear();
    for (int rank = 0; rank < ranks_.size(); ++rank) apart.of_rank.push_back(rank);
    Hosts together;
    together.of_rank.assign(static_cast<std::size_t>(ranks_.size()), 0);
    expect(ptrans.sent(together) == 0.0, "what leaves the only host");
    expect(ptrans.sent(apart) >= 0.0, "what leaves a host of one rank");
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
