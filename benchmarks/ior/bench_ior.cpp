// Measures what the harness adds to the calls: bench-ior-posix [FOLDER] [ROUNDS] [buffered|direct]. Files of 64 MiB are
// written in transfers of 4 KiB by a bare loop of pwrite, from one page and from as much memory as the harness uses,
// and by the harness, in turn. A FOLDER in /dev/shm shows the largest overhead.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/paired.hpp"
#include "file.hpp"
#include "layout.hpp"
#include "phase.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::ior;

class Comparison {
 public:
  Comparison(const Params& params, const Communicator& ranks)
      : params_(params),
        places_{{0}},
        context_{.ranks = ranks, .places = places_},
        memory_(params, 7),
        folder_(params.folder, "ior", ranks),
        phases_(params, context_, folder_, memory_),
        part_(params, 1, 0, 7, 0) {}

  void run(int rounds) {
    const std::array<std::function<double()>, 3> ways{
        [this] { return bare(params_.transfer); }, [this] { return bare(std::int64_t{1} << 20U); },
        [this] { return phases_.write(part_, params_.transfers()).seconds; }};
    std::array<std::vector<double>, 3> seconds;
    std::array<std::vector<double>, 3> ratios;
    for (int round = -1; round < rounds; ++round) {  // the first warms up
      std::array<double, 3> now{};
      for (std::size_t turn = 0; turn < ways.size(); ++turn) {
        const std::size_t i = (turn + static_cast<std::size_t>(round + 1)) % ways.size();
        now[i] = ways[i]();
        unlinkat(folder_.descriptor(), part_.name().c_str(), 0);
      }
      for (std::size_t i = 0; i < ways.size() && round >= 0; ++i) {
        seconds[i].push_back(now[i]);
        ratios[i].push_back(now[i] / now[1]);
      }
    }
    constexpr std::array names{"pwrite from one page", "pwrite from 1 MiB", "the harness"};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::ranges::sort(ratios[i]);
      std::printf("%-22s %7.0f ns a transfer   times the second: %.3f (quartiles %.3f to %.3f)\n", names[i],
                  1e9 * median(seconds[i]) / static_cast<double>(params_.transfers()), median(ratios[i]),
                  ratios[i][ratios[i].size() / 4], ratios[i][ratios[i].size() * 3 / 4]);
    }
  }

 private:
  double bare(std::int64_t memory) {
    const double begin = now();
    Descriptor file = open_file(params_, {.folder = folder_, .name = part_.name(), .create = true});
    for (std::int64_t offset = 0; offset < params_.block; offset += params_.transfer) {
      const std::byte* data = memory_.contents.memory(0).data() + offset % memory;
      if (pwrite(file.get(), data, static_cast<std::size_t>(params_.transfer), offset) != params_.transfer) {
        throw_errno("write");
      }
    }
    file.reset();
    return now() - begin;
  }

  const Params& params_;
  std::vector<std::vector<int>> places_;
  Context context_;
  Memory memory_;
  WorkFolder folder_;
  Phases phases_;
  Part part_;
};

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  const Params params{.folder = argc > 1 ? argv[1] : ".",
                      .block = std::int64_t{64} << 20U,
                      .transfer = 4096,
                      .access = argc > 3 ? argv[3] : "buffered",
                      .fsync = "no"};
  Comparison(params, ranks).run(positive_argument(argc, argv, 2, 31));
  return 0;
}
