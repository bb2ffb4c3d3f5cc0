#include <omp.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/blas.hpp"
#include "core/clock.hpp"
#include "host_store.hpp"

namespace banzuke::hpl {
namespace {

// Narrower products lose the library's own blocking.
constexpr std::int64_t narrowest = 256;
// Rows that a thread leaves to whoever comes first, itself or one that is early; they repay packing U again.
constexpr std::int64_t remainder_rows = 2048;
// Fewer rows would cost more in packing than they can help.
constexpr std::int64_t fewest_rows = 128;

// Columns of one thread, and how far it is down their rows.
struct Strip {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::atomic<std::int64_t> next = 0;

  // The next product: the first row and how many, `most` at most; no rows when all are taken. Few and large ones, and
  // at the end one that evens out the threads.
  std::pair<std::int64_t, std::int64_t> take(std::int64_t rows, std::int64_t most, int sharers) {
    std::int64_t row = next.load();
    std::int64_t count = 0;
    do {
      const std::int64_t left = rows - row;
      const std::int64_t share = (left > 2 * remainder_rows ? left - remainder_rows : left) / sharers;
      count = std::min(left, std::max(fewest_rows, std::min(most, share)));
    } while (count > 0 && !next.compare_exchange_weak(row, row + count));
    return {row, count};
  }
};

}  // namespace

// Every thread calls the library for its own part: one team for all of the factorisation, no second one that spins on
// the same processors, and the same way with every library.
struct Update::Impl {
  explicit Impl(const std::vector<std::vector<int>>& places) : blas(Blas::chosen(), {places.front()}) {}
  Blas blas;
};

Update::Update(const std::vector<std::vector<int>>& places) : impl_(make_hidden<Impl>(places)) {}

double Update::run(const Panel& panel, const double* l2, const Trailing& trailing,
                   const std::function<void(std::int64_t, std::int64_t)>& prepare, int looks,
                   const std::function<void()>& poll) const {
  const Blas& blas = impl_->blas;
  const auto width = static_cast<int>(panel.width());
  const std::int64_t rows = trailing.rows;
  const std::int64_t columns = trailing.columns;
  const auto ldu = static_cast<int>(trailing.ldu);
  const auto ldc = static_cast<int>(trailing.ldc);
  const int threads = omp_get_max_threads();
  const int strips = static_cast<int>(std::clamp<std::int64_t>(columns / narrowest, 1, threads));
  const int sharers = (threads + strips - 1) / strips;
  std::vector<Strip> work(static_cast<std::size_t>(strips));
  for (int i = 0; i < strips; ++i) {
    const auto edge = [&](int at) { return at == strips ? columns : columns * at / strips / 8 * 8; };
    work[static_cast<std::size_t>(i)].begin = edge(i);
    work[static_cast<std::size_t>(i)].end = edge(i + 1);
  }
  double finished = 0.0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    for (int i = thread; i < strips; i += omp_get_num_threads()) {
      const Strip& own = work[static_cast<std::size_t>(i)];
      prepare(own.begin, own.end);
      blas.solve_unit_lower(width, static_cast<int>(own.end - own.begin), panel.l1(), width, trailing.u + own.begin,
                            ldu);
    }
#pragma omp barrier
    for (int i = 0; i < strips; ++i) {
      Strip& strip = work[static_cast<std::size_t>((thread + i) % strips)];
      const std::int64_t most = thread == 0 && looks > 0 ? rows / looks : rows;
      while (true) {
        const auto [row, count] = strip.take(rows, most, sharers);
        if (count == 0) break;
        blas.subtract_product(static_cast<int>(count), static_cast<int>(strip.end - strip.begin), width, l2 + row,
                              static_cast<int>(panel.ld()), trailing.u + strip.begin, ldu,
                              trailing.c + row * trailing.ldc + strip.begin, ldc);
        if (thread == 0) poll();
      }
    }
    if (thread == 0) finished = now();
  }
  return now() - finished;
}

const std::string& Update::library() const { return impl_->blas.name(); }
const std::string& Update::library_path() const { return impl_->blas.path(); }

std::unique_ptr<Store> make_store(const Params& params, const Grid& grid, const std::vector<std::vector<int>>& places) {
  return std::make_unique<HostStore>(params, grid, places);
}

Problem memory(const Params& params) {
  if (params.held > 0) throw UsageError("held: the processors hold the whole matrix in their memory", {}, "held");
  if (params.panel != "auto") throw UsageError("panel: the processors factorise panels, without a device", {}, "panel");
  if (params.messages != "host") {
    throw UsageError("messages: the processors send from their own memory", {}, "messages");
  }
  return {.footprint = footprint(params)};
}

}  // namespace banzuke::hpl
