#include <omp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/all_to_all.hpp"
#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/fft/batch.hpp"
#include "core/fft/roots.hpp"
#include "core/subcommunicator.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

// The greatest length whose first stage loads the columns; longer ones, of 8192 numbers, are faster loaded beforehand.
constexpr std::int64_t longest_fused = 4096;

std::int64_t blocks_of(std::int64_t rows) { return (rows + lanes - 1) / lanes; }

// This rank's part of the transforms of length n1 and of length n2.
struct Shape {
  Split split;
  std::int64_t ranks;
  std::int64_t rank;

  std::int64_t own1() const { return split.n1 / ranks; }
  std::int64_t own2() const { return split.n2 / ranks; }
  std::int64_t blocks() const { return blocks_of(own1()); }
  // Vectors (`Lanes`) of one column, and of all columns, between the two kinds of transforms.
  std::int64_t height() const { return ranks * blocks(); }
  std::int64_t middle() const { return height() * own2(); }
};

struct Range {
  std::int64_t begin;
  std::int64_t end;

  std::int64_t size() const { return end - begin; }
};

// Splits `size` columns into pieces of whole vectors; the last piece may end with a partial one.
std::vector<Range> pieces_of(std::int64_t size, std::int64_t ranks) {
  const std::int64_t vectors = blocks_of(size);
  const std::int64_t count = ranks == 1 ? 1 : std::min<std::int64_t>(most_pieces, vectors);
  std::vector<Range> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back({vectors * i / count * lanes, std::min(size, vectors * (i + 1) / count * lanes)});
  }
  return out;
}

// Adds the seconds since its last call to a part; work while messages travel also counts as overlapped.
class Stopwatch {
 public:
  explicit Stopwatch(std::span<AllToAll> exchanges) : exchanges_(exchanges) {}

  void spent(Part part) {
    const double time = now();
    times.parts.at(static_cast<std::size_t>(part)) += time - last_;
    if (travelling_ && part != Part::exchange) times.overlapped += time - last_;
    travelling_ = false;
    for (AllToAll& exchange : exchanges_) travelling_ |= !exchange.done();
    last_ = time;
  }

  Times times;

 private:
  std::span<AllToAll> exchanges_;
  bool travelling_ = false;
  double last_ = now();
};

}  // namespace

const int most_ranks = std::numeric_limits<int>::max();
const bool of_devices = false;

Problem problem(const Params& params, int ranks) { return problem_on_host(params, ranks); }

struct Fft::Impl {
  Impl(const Params& params, const Split& lengths, const Communicator& world)
      : shape{lengths, sharing(params, world.size()), params.transforms == "own" ? 0 : world.rank()},
        natural(params.order == "natural"),
        past_caches(params.stores == "nontemporal"),
        ranks(world, params.transforms == "own" ? world.rank() : 0, world.rank()),
        blocks(world, params.transforms == "own" ? 1 : hosts_of(world).block),
        begun(now()),
        roots(lengths.n()),
        batch1(lengths.n1),
        batch2(lengths.n2),
        planning(now() - begun),
        in(room()),
        out(room()),
        sent(middle()) {
    if (shape.ranks > 1) received = std::make_unique<Array<Lanes>>(middle());
    for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
      buffers.push_back(std::make_unique<Array<Lanes>>(static_cast<std::size_t>(std::max(lengths.n1, lengths.n2))));
    }
    touch();
  }

  std::int64_t size() const { return shape.split.n() / shape.ranks; }
  // Enough for the forward and the backward transform.
  std::size_t middle() const {
    const Shape back{shape.split.swapped(), shape.ranks, shape.rank};
    return static_cast<std::size_t>(std::max(shape.middle(), back.middle()));
  }
  // In natural order, the input and output arrays also hold the intermediate results between the two kinds of
  // transforms.
  std::size_t room() const { return natural && shape.ranks > 1 ? lanes * middle() : static_cast<std::size_t>(size()); }

  void touch() {
    const auto zero = [](auto* to, std::size_t count) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) to[i] = {};
    };
    zero(in.data(), in.size());
    zero(out.data(), out.size());
    zero(sent.data(), sent.size());
    if (received) zero(received->data(), received->size());
  }

  // Packs this rank's rows of `columns` numbers by destination rank: for each rank, those of its columns that are in
  // `of`.
  void pack(const Complex* from, Complex* to, std::int64_t rows, std::int64_t columns, Range of) const {
    const std::int64_t own = columns / shape.ranks;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t peer = 0; peer < shape.ranks; ++peer) {
      for (std::int64_t row = 0; row < rows; ++row) {
        std::copy_n(from + row * columns + peer * own + of.begin, of.size(), to + (peer * rows + row) * of.size());
      }
    }
  }

  // The inverse of pack().
  void unpack(const Complex* from, Complex* to, std::int64_t rows, std::int64_t columns, Range of) const {
    const std::int64_t own = columns / shape.ranks;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t peer = 0; peer < shape.ranks; ++peer) {
        std::copy_n(from + (peer * rows + row) * of.size(), of.size(), to + row * columns + peer * own + of.begin);
      }
    }
  }

  // Makes progress on messages while all threads work. Only the first thread calls MPI, as promised to it.
  void move_on() {
    if (omp_get_thread_num() == 0 && shape.ranks > 1) {
      for (AllToAll& exchange : exchanges) exchange.done();
    }
  }

  // Computes exp(-2 pi i j2 k1 / n) for k1 = 0, step, 2 step ... (one vector each), with `width` consecutive j2 in its
  // lanes.
  void factors(std::int64_t j2, int width, std::int64_t step, std::span<Lanes> out) const {
    const std::int64_t n = shape.split.n();
    for (int lane = 0; lane < width; ++lane) {
      const std::int64_t each = (j2 + lane) * step % n;
      std::int64_t turns = 0;
      for (Lanes& row : out) {
        const Complex factor = roots(turns);
        row.re[lane] = factor.re;
        row.im[lane] = factor.im;
        turns += each;
        if (turns >= n) turns -= n;
      }
    }
  }

  // Runs the transforms of length n1 on a piece of this rank's columns, whose rows are `stride` numbers apart, and
  // multiplies by exp(-2 pi i j2 k1 / n). Results are stored as blocks of eight k1 for each rank.
  void first(const Shape& of, const Batch& batch, Range piece, const Complex* columns, std::int64_t stride, Lanes* to) {
#pragma omp parallel
    {
      Lanes* x = buffers[static_cast<std::size_t>(omp_get_thread_num())]->data();
      std::array<Lanes, fine_factors> fine{};
      std::vector<Lanes> coarse(static_cast<std::size_t>(of.split.n1 / fine_factors + 1));
#pragma omp for schedule(static)
      for (std::int64_t at = 0; at < piece.size(); at += lanes) {
        const auto width = static_cast<int>(std::min<std::int64_t>(lanes, piece.size() - at));
        const std::int64_t j2 = of.rank * of.own2() + piece.begin + at;
        if (width == lanes && of.split.n1 <= longest_fused) {
          batch.run(use, columns + at, stride, x);
        } else {
          use.load(columns + at, stride, of.split.n1, width, x);
          batch.run(use, x);
        }
        factors(j2, width, 1, fine);
        factors(j2, width, fine_factors, coarse);
        for (std::int64_t block = 0; block < of.height(); ++block) {
          const std::int64_t begin = block % of.blocks() * lanes;
          const std::int64_t k1 = block / of.blocks() * of.own1() + begin;
          const auto count = static_cast<int>(std::min<std::int64_t>(lanes, of.own1() - begin));
          use.turn(x, batch.place(), k1, count, coarse.data(), fine.data(), width, to + block * piece.size() + at,
                   past_caches);
        }
        move_on();
      }
    }
  }

  // Runs the transforms of length n2 on a piece of this rank's k1, eight at a time. Results are stored as rows of k2,
  // `stride` numbers apart.
  void second(const Shape& of, const Batch& batch, Range piece, const Lanes* from, std::int64_t stride, Complex* to) {
    const std::vector<Range> columns = pieces_of(of.own2(), of.ranks);
#pragma omp parallel
    {
      Lanes* x = buffers[static_cast<std::size_t>(omp_get_thread_num())]->data();
#pragma omp for schedule(static)
      for (std::int64_t at = 0; at < piece.size(); at += lanes) {
        const std::int64_t block = (piece.begin + at) / lanes;
        const auto count = static_cast<int>(std::min<std::int64_t>(lanes, piece.size() - at));
        if (of.ranks == 1) {
          batch.run(use, from + block * of.own2(), x);
        } else {
          for (const Range& part : columns) {
            for (std::int64_t peer = 0; peer < of.ranks; ++peer) {
              std::copy_n(from + of.height() * part.begin + (peer * of.blocks() + block) * part.size(), part.size(),
                          x + peer * of.own2() + part.begin);
            }
          }
          batch.run(use, x);
        }
        use.store(x, batch.place(), of.split.n2, count, stride, to + at, past_caches);
        move_on();
      }
    }
  }

  Times transform(const Shape& of, const Batch& long1, const Batch& long2, Complex* from, Complex* to) {
    Stopwatch watch(exchanges);
    if (of.ranks == 1) {
      first(of, long1, {0, of.own2()}, from, of.own2(), sent.data());
      watch.spent(Part::first);
      second(of, long2, {0, of.own1()}, sent.data(), of.own1(), to);
      watch.spent(Part::second);
      return watch.times;
    }
    auto& [before, between, after] = exchanges;
    const auto start = [&]<class T>(AllToAll& exchange, std::size_t piece, const T* out, T* arrived,
                                    std::int64_t count) {
      const auto numbers = static_cast<std::size_t>(count);
      exchange.start<T>(static_cast<int>(piece), {out, numbers}, {arrived, numbers});
      watch.spent(Part::exchange);
    };
    const auto wait = [&](AllToAll& exchange, std::size_t piece) {
      exchange.wait(static_cast<int>(piece));
      watch.spent(Part::exchange);
    };
    const std::int64_t n1 = of.split.n1;
    const std::int64_t n2 = of.split.n2;
    const std::vector<Range> columns = pieces_of(of.own2(), of.ranks);
    auto* packed = reinterpret_cast<Complex*>(received->data());
    for (std::size_t i = 0; natural && i < columns.size(); ++i) {
      const std::int64_t at = n1 * columns[i].begin;
      pack(from, packed + at, of.own1(), n2, columns[i]);
      watch.spent(Part::reorder);
      start(before, i, packed + at, to + at, n1 * columns[i].size());
    }
    // The input has been packed, so its array can receive.
    Lanes* arrived = natural ? reinterpret_cast<Lanes*>(from) : received->data();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Range piece = columns[i];
      const std::int64_t at = of.height() * piece.begin;
      if (natural) {
        wait(before, i);
        first(of, long1, piece, to + n1 * piece.begin, piece.size(), sent.data() + at);
      } else {
        first(of, long1, piece, from + piece.begin, of.own2(), sent.data() + at);
      }
      watch.spent(Part::first);
      start(between, i, sent.data() + at, arrived + at, of.height() * piece.size());
    }
    for (std::size_t i = 0; i < columns.size(); ++i) wait(between, i);
    if (!natural) {
      second(of, long2, {0, of.own1()}, arrived, of.own1(), to);
      watch.spent(Part::second);
      return watch.times;
    }
    const std::vector<Range> rows = pieces_of(of.own1(), of.ranks);
    auto* leaving = reinterpret_cast<Complex*>(sent.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t at = n2 * rows[i].begin;
      second(of, long2, rows[i], arrived, rows[i].size(), leaving + at);
      watch.spent(Part::second);
      start(after, i, leaving + at, packed + at, n2 * rows[i].size());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      wait(after, i);
      unpack(packed + n2 * rows[i].begin, to, of.own2(), n1, rows[i]);
      watch.spent(Part::reorder);
    }
    return watch.times;
  }

  Order order(const Shape& of) const {
    if (natural) return {.natural = true, .columns = 1, .own = 1, .first = of.rank * size()};
    return {.natural = false, .columns = of.split.n2, .own = of.own2(), .first = of.rank * of.own2()};
  }

  Shape shape;
  bool natural;
  bool past_caches;
  const Kernels& use = kernels();
  std::string name = use.name;
  SubCommunicator ranks;
  Blocks blocks;
  double begun;
  Roots roots;
  Batch batch1;
  Batch batch2;
  double planning;
  Array<Complex> in;
  Array<Complex> out;
  Array<Lanes> sent;
  std::unique_ptr<Array<Lanes>> received;
  std::array<AllToAll, 3> exchanges{AllToAll(ranks, most_pieces, 0, &blocks),
                                    AllToAll(ranks, most_pieces, most_pieces, &blocks),
                                    AllToAll(ranks, most_pieces, 2 * most_pieces, &blocks)};
  std::vector<std::unique_ptr<Array<Lanes>>> buffers;
};

Fft::Fft(const Params& params, const Split& split, const Communicator& ranks)
    : impl_(make_hidden<Impl>(params, split, ranks)) {}

std::int64_t Fft::size() const { return impl_->size(); }
void Fft::fill() { fft::fill(in(), size(), in_order()); }
Complex* Fft::in() { return impl_->in.data(); }
Complex* Fft::out() { return impl_->out.data(); }
Order Fft::in_order() const { return impl_->order(impl_->shape); }
Order Fft::out_order() const {
  const Shape& shape = impl_->shape;
  return impl_->order({shape.split.swapped(), shape.ranks, shape.rank});
}
Times Fft::run() {
  return impl_->transform(impl_->shape, impl_->batch1, impl_->batch2, impl_->in.data(), impl_->out.data());
}
void Fft::run_back() {
  const Shape& shape = impl_->shape;
  impl_->transform({shape.split.swapped(), shape.ranks, shape.rank}, impl_->batch2, impl_->batch1, impl_->out.data(),
                   impl_->in.data());
}
const std::string& Fft::method() const { return impl_->name; }
double Fft::planning_seconds() const { return impl_->planning; }
Json::Object Fft::software() const { return {}; }
Json::Object Fft::conditions() const { return {}; }
std::vector<Verification> Fft::checks() const { return {}; }

}  // namespace banzuke::fft
