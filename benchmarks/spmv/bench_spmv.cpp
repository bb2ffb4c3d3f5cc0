// Compares every format, and what `auto` chooses, with MKL (if BANZUKE_MKL names it) and with the least traffic at the
// rate of STREAM's Triad, over the families. All are timed in turn, so that each ratio is of times from the same
// seconds.
// Usage: bench-spmv-omp [NONZEROS [ROUNDS [FAMILY]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/paired.hpp"
#include "core/parameters.hpp"
#include "core/random.hpp"
#include "families.hpp"
#include "mkl_sparse.hpp"
#include "spmv.hpp"

namespace {

using namespace banzuke;

// Returns the median of the ratios of times taken in turn.
double ratio(const std::vector<double>& a, const std::vector<double>& b) { return median(ratios(a, b)); }

// The rates of memory: STREAM's Triad, with non-temporal stores if the compiler's target has AVX-512, and loads alone.
class Memory {
 public:
  Memory() : a_(n), b_(n), c_(n) {
    double* b = b_.data();
    double* c = c_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) b[i] = c[i] = 1.0;
  }

  void triad() {
    double* a = a_.data();
    const double* b = b_.data();
    const double* c = c_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; i += 8) {
#if defined(__AVX512F__)
      _mm512_stream_pd(a + i, _mm512_fmadd_pd(_mm512_set1_pd(3.0), _mm512_load_pd(c + i), _mm512_load_pd(b + i)));
#else
      for (std::int64_t j = i; j < i + 8; ++j) a[j] = b[j] + 3.0 * c[j];
#endif
    }
  }

  void read() {
    const double* b = b_.data();
    const double* c = c_.data();
    double sum = 0.0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += b[i] * c[i];
    a_[0] = sum;
  }

 private:
  static constexpr std::int64_t n = 1 << 23;
  Array<double> a_, b_, c_;

 public:
  static constexpr double triad_bytes = 24.0 * n;
  static constexpr double read_bytes = 16.0 * n;
};

// The ways to multiply one matrix, each of which is checked.
struct Contest {
  Contest(std::string name, std::int64_t nonzeros)
      : family(std::move(name)),
        matrix(spmv::generate(family, nonzeros)),
        x(static_cast<std::size_t>(matrix.columns)),
        y(static_cast<std::size_t>(matrix.rows)) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = uniform(0, i);
  }
  Contest(const Contest&) = delete;  // `ways` refer to it
  Contest& operator=(const Contest&) = delete;
  ~Contest() = default;

  // `product` multiplies, `store` copies the result to y.
  void add(const char* name, const std::function<void()>& product, const std::function<void()>& store) {
    std::fill_n(y.data(), y.size(), std::nan(""));
    product();
    store();
    if (!(spmv::error(matrix, x.span(), y.span()) <= spmv::tolerance)) {
      std::printf("%s WRONG in %s\n", name, family.c_str());
      wrong = true;
    }
    ways.push_back({name, product});
  }

  void add_formats() {
    for (const char* format : {"auto", "crs", "merge", "sell", "bcsr"}) {
      if (format == own) continue;
      try {
        const auto ours = std::make_shared<spmv::Spmv>(matrix, format);
        if (own.empty()) {
          chosen = ours->format();
          own = chosen.substr(0, chosen.find(' '));
        }
        ours->load(x.span());
        add(format, [ours] { ours->run(1); }, [ours, this] { ours->store({y.data(), y.size()}); });
      } catch (const UsageError&) {
        continue;  // the format does not suit the matrix
      }
    }
  }

  void add_mkl() {
    const auto theirs = std::make_shared<spmv::MklSparse>(matrix);
    add("MKL", [theirs, this] { theirs->run(x.data(), y.data()); }, [] {});
  }

  // Returns the seconds of each way in each round; each comes first in turn.
  std::map<std::string, std::vector<double>> times(int rounds) const {
    // So many products per sample that it takes at least as long as a Triad.
    const int repeat = std::max(1, static_cast<int>(8'000'000 / (matrix.nonzeros() + matrix.rows + 1)));
    std::map<std::string, std::vector<double>> seconds;
    for (int round = -2; round < rounds; ++round) {
      for (std::size_t i = 0; i < ways.size(); ++i) {
        const Way& way = ways[(i + static_cast<std::size_t>(round + 2)) % ways.size()];
        const int calls = way.name == "Triad" || way.name == "read" ? 1 : repeat;
        for (int call = 0; call < 1 + calls / 4; ++call) way.run();
        const double start = now();
        for (int call = 0; call < calls; ++call) way.run();
        if (round >= 0) seconds[way.name].push_back((now() - start) / calls);
      }
    }
    return seconds;
  }

  std::string family;
  Crs matrix;
  Array<double> x, y;
  std::vector<Way> ways{};
  std::string chosen{};
  std::string own{};  // the name of its format
  bool wrong = false;
};

}  // namespace

int main(int argc, char** argv) {
  const int nonzeros = positive_argument(argc, argv, 1, 10'000'000);
  const int rounds = positive_argument(argc, argv, 2, 21);
  const bool mkl = std::getenv("BANZUKE_MKL") != nullptr;
  bind_threads(allowed_cpus());
  Memory memory;

  bool wrong = false;
  std::vector<double> against_mkl;
  std::vector<double> against_best;
  std::printf("%-26s %9s %9s  %-14s %7s %6s", "family", "rows", "nonzeros", "auto", "Gflop/s", "limit");
  for (const char* format : {"crs", "merge", "sell", "bcsr"}) std::printf(" %6s", format);
  std::printf(" %6s   (times as long as auto)\n", "MKL");
  for (const std::string& family : spmv::family_names()) {
    if (argc > 3 && family.find(argv[3]) == std::string::npos) continue;
    Contest contest(family, nonzeros);
    contest.add_formats();
    if (mkl) contest.add_mkl();
    contest.ways.push_back({"Triad", [&] { memory.triad(); }});
    contest.ways.push_back({"read", [&] { memory.read(); }});
    wrong = wrong || contest.wrong;
    auto seconds = contest.times(rounds);
    const Crs& matrix = contest.matrix;
    const auto& ours = seconds["auto"];
    const Work work = spmv::work(matrix);
    std::printf("%-26s %9lld %9lld  %-14s %7.2f %6.3f", family.c_str(), static_cast<long long>(matrix.rows),
                static_cast<long long>(matrix.nonzeros()), contest.chosen.c_str(), work.counted / median(ours) / 1e9,
                demanded(work, "memory.bytes") / Memory::triad_bytes * ratio(seconds["Triad"], ours));
    double best = 1.0;
    for (const char* name : {"crs", "merge", "sell", "bcsr", "MKL"}) {
      if (!seconds.contains(name)) {
        std::printf(" %6s", name == contest.own ? "=" : "-");
        continue;
      }
      const double times = ratio(seconds[name], ours);
      std::printf(" %6.3f", times);
      if (std::string(name) == "MKL") {
        against_mkl.push_back(times);
      } else {
        best = std::min(best, times);
      }
    }
    against_best.push_back(best);
    std::printf("  Triad %.0f GB/s, read %.0f\n", Memory::triad_bytes / median(seconds["Triad"]) / 1e9,
                Memory::read_bytes / median(seconds["read"]) / 1e9);
    std::fflush(stdout);
  }
  if (against_best.empty()) {
    std::fprintf(stderr, "no family is named like %s\n", argv[3]);
    return 2;
  }
  const auto good = std::ranges::count_if(against_best, [](double best) { return best > 0.95; });
  std::printf("auto within 5%% of the best format: %lld of %zu\n", static_cast<long long>(good), against_best.size());
  if (mkl) {
    std::printf("MKL takes %.3f times as long (geometric mean), worst %.3f\n", geometric_mean(against_mkl),
                *std::ranges::min_element(against_mkl));
  }
  return wrong ? 1 : 0;
}
