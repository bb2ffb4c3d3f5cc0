#include "cached.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/fft/batch.hpp"
#include "core/fft/roots.hpp"
#include "core/random.hpp"
#include "core/record.hpp"

namespace banzuke::fft {
namespace {

// Rows of eight numbers that are loaded together, and of the input, from which every load takes others: together they
// fit into the nearest cache.
constexpr std::int64_t loaded_rows = 64;
constexpr std::int64_t input_rows = 2 * loaded_rows;
constexpr double shortest_sample = 5e-3;  // seconds

// Returns the row of the input from which load `number` of a block takes its first. Rows must not come in a regular
// order: of periodic data most outputs are 0.
std::int64_t first_row(std::int64_t number) {
  constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number + 1) * multiplier >> 58U);  // of 64
}

// What a thread works on.
class Own {
 public:
  explicit Own(std::int64_t longest)
      : x_(static_cast<std::size_t>(longest)),
        in_(static_cast<std::size_t>(input_rows * lanes)),
        out_(static_cast<std::size_t>(loaded_rows * lanes)),
        coarse_(static_cast<std::size_t>(longest / fine_factors + 1)) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = {uniform(2, i), uniform(3, i)};
    // Factors of 1, whose product costs as much as any.
    const auto fill = [](Lanes& row) {
      for (int lane = 0; lane < lanes; ++lane) {
        row.re[lane] = 1.0;
        row.im[lane] = 0.0;
      }
    };
    std::ranges::for_each(coarse_, fill);
    std::ranges::for_each(fine_, fill);
  }

  // A block of the first pass, or of the second.
  void block(const Kernels& kernels, const Batch& batch, bool first) {
    const std::int64_t n = batch.size();
    for (std::int64_t row = 0; row < n; row += loaded_rows) {
      kernels.load(in_.data() + first_row(row / loaded_rows) * lanes, lanes, std::min(loaded_rows, n - row), lanes,
                   x_.data() + row);
    }
    batch.run(kernels, x_.data());
    if (first) {
      auto* out = reinterpret_cast<Lanes*>(out_.data());
      for (std::int64_t k = 0; k < n; k += lanes) {
        kernels.turn(x_.data(), batch.place(), k, static_cast<int>(std::min<std::int64_t>(lanes, n - k)),
                     coarse_.data(), fine_.data(), lanes, out, false);
      }
    } else {
      for (std::int64_t row = 0; row < n; row += loaded_rows) {
        kernels.store(x_.data(), batch.place() + row, std::min(loaded_rows, n - row), lanes, lanes, out_.data(), false);
      }
    }
  }

  // Returns the error of the last block's transforms, from a few outputs of each lane.
  double error(const Batch& batch) const {
    const std::int64_t n = batch.size();
    const Roots roots(n);
    double largest = 0.0;
    for (const std::int64_t k : {std::int64_t{0}, n / 3, n - 1}) {
      for (int lane = 0; lane < lanes; ++lane) {
        long double re = 0.0L;
        long double im = 0.0L;
        for (std::int64_t j = 0; j < n; ++j) {
          const Complex factor = roots(static_cast<std::int64_t>(static_cast<__int128>(j) * k % n));
          const std::int64_t row = first_row(j / loaded_rows) + j % loaded_rows;
          const Complex& a = in_[static_cast<std::size_t>(row * lanes + lane)];
          re += static_cast<long double>(a.re) * factor.re - static_cast<long double>(a.im) * factor.im;
          im += static_cast<long double>(a.re) * factor.im + static_cast<long double>(a.im) * factor.re;
        }
        const Lanes& found = x_[static_cast<std::size_t>(batch.place()[k])];
        largest = larger(
            largest, std::hypot(found.re[lane] - static_cast<double>(re), found.im[lane] - static_cast<double>(im)));
      }
    }
    const auto length = static_cast<double>(n);
    return largest / (0x1p-53 * std::sqrt(length) * std::log(std::max(length, 2.0)));
  }

 private:
  Array<Lanes> x_;
  std::vector<Complex> in_;
  Array<Complex> out_;  // aligned to whole vectors
  std::vector<Lanes> coarse_;
  std::array<Lanes, fine_factors> fine_{};
};

class Threads {
 public:
  Threads(const Kernels& kernels, std::int64_t longest, const Communicator& ranks)
      : kernels_(&kernels), ranks_(&ranks), each_(static_cast<std::size_t>(omp_get_max_threads())) {
#pragma omp parallel
    each_[static_cast<std::size_t>(omp_get_thread_num())] = std::make_unique<Own>(longest);
  }

  // Returns the seconds in which every thread runs so many blocks; the slowest counts.
  double run(const Batch& batch, bool first, std::int64_t blocks) {
    ranks_->barrier();
    double slowest = 0.0;
#pragma omp parallel reduction(max : slowest)
    {
      Own& own = *each_[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp barrier
      const double start = now();
      for (std::int64_t i = 0; i < blocks; ++i) own.block(*kernels_, batch, first);
      slowest = now() - start;
    }
    return ranks_->maximum(slowest);
  }

  // Returns how many blocks make a sample.
  std::int64_t enough(const Batch& batch, bool first) {
    std::int64_t blocks = 1;
    while (run(batch, first, blocks) < shortest_sample) blocks *= 2;
    return blocks;
  }

  double error(const Batch& batch) const {
    double largest = 0.0;
    for (const auto& own : each_) largest = larger(largest, own->error(batch));
    return ranks_->maximum(largest);
  }

  double count() const {
    auto threads = static_cast<double>(each_.size());
    ranks_->sum({&threads, 1});
    return threads;
  }

 private:
  const Kernels* kernels_;
  const Communicator* ranks_;
  std::vector<std::unique_ptr<Own>> each_;
};

}  // namespace

Cached cached_transforms(const Split& lengths, std::int64_t samples, const Communicator& ranks,
                         const Kernels& kernels) {
  Threads threads(kernels, std::max(lengths.n1, lengths.n2), ranks);
  Cached out{.seconds = std::vector<double>(static_cast<std::size_t>(samples)), .error = 0.0};
  for (const bool first : {true, false}) {
    const Batch batch(first ? lengths.n1 : lengths.n2);
    const std::int64_t blocks = threads.enough(batch, first);
    // Columns of a pass, eight to a block, shared by all threads.
    const double share = static_cast<double>(lengths.n()) / static_cast<double>(batch.size()) / lanes / threads.count();
    for (double& seconds : out.seconds) {
      seconds += share * threads.run(batch, first, blocks) / static_cast<double>(blocks);
    }
    out.error = larger(out.error, threads.error(batch));
  }
  return out;
}

}  // namespace banzuke::fft
