#include <omp.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "batch.hpp"
#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/isa.hpp"
#include "core/subcommunicator.hpp"
#include "fft.hpp"
#include "roots.hpp"

namespace banzuke::fft {
namespace {

const Kernels& kernels() {
#ifdef __x86_64__
  if (runs(Isa::avx512)) return avx512;
  if (runs(Isa::avx2)) return avx2;
#endif
  return plain;
}

std::int64_t blocks_of(std::int64_t rows) { return (rows + lanes - 1) / lanes; }

// The transforms of length n1 and of length n2, of this rank's part.
struct Shape {
  Split split;
  std::int64_t ranks;
  std::int64_t rank;

  std::int64_t own1() const { return split.n1 / ranks; }
  std::int64_t own2() const { return split.n2 / ranks; }
  std::int64_t blocks() const { return blocks_of(own1()); }
  // Lanes between the two kinds.
  std::int64_t middle() const { return ranks * blocks() * own2(); }
};

}  // namespace

const int most_ranks = std::numeric_limits<int>::max();

struct Fft::Impl {
  Impl(const Params& params, const Split& lengths, const Communicator& world)
      : shape{lengths, world.size(), world.rank()},
        natural(params.order == "natural"),
        past_caches(params.stores == "nontemporal"),
        ranks(world, 0, world.rank()),
        begun(now()),
        roots(lengths.n()),
        batch1(lengths.n1),
        batch2(lengths.n2),
        planning(now() - begun),
        in(static_cast<std::size_t>(size())),
        out(static_cast<std::size_t>(size())),
        sent(middle()) {
    if (shape.ranks > 1) received.emplace(middle());
    for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
      buffers.push_back(std::make_unique<Array<Lanes>>(static_cast<std::size_t>(std::max(lengths.n1, lengths.n2))));
    }
    touch();
  }

  std::int64_t size() const { return shape.split.n() / shape.ranks; }
  // Either way has room in them.
  std::size_t middle() const {
    const Shape back{shape.split.swapped(), shape.ranks, shape.rank};
    return static_cast<std::size_t>(std::max(shape.middle(), back.middle()));
  }

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

  // Equal parts to all ranks, `count` numbers each.
  void exchange(const double* from, double* to, std::int64_t count) {
    const auto each = static_cast<std::size_t>(count);
    const auto part = [&](auto* start, std::int64_t peer) { return std::span(start + peer * count, each); };
    Transfer transfer(ranks);
    for (std::int64_t step = 1; step < shape.ranks; ++step) {
      const std::int64_t source = (shape.rank + shape.ranks - step) % shape.ranks;
      transfer.receive(static_cast<int>(source), part(to, source), 0);
    }
    for (std::int64_t step = 1; step < shape.ranks; ++step) {
      const std::int64_t target = (shape.rank + step) % shape.ranks;
      transfer.send(static_cast<int>(target), part(from, target), 0);
    }
    std::memcpy(to + shape.rank * count, from + shape.rank * count, each * sizeof(double));
    transfer.wait();
  }

  // Blocks of rows become blocks of columns: `rows` own rows of `columns`, which all ranks share.
  void to_columns(const Complex* from, Complex* packed, std::int64_t rows, std::int64_t columns) const {
    const std::int64_t own = columns / shape.ranks;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t peer = 0; peer < shape.ranks; ++peer) {
      for (std::int64_t row = 0; row < rows; ++row) {
        std::copy_n(from + row * columns + peer * own, own, packed + (peer * rows + row) * own);
      }
    }
  }

  void to_rows(const Complex* packed, Complex* to, std::int64_t rows, std::int64_t columns) const {
    const std::int64_t own = columns / shape.ranks;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t peer = 0; peer < shape.ranks; ++peer) {
        std::copy_n(packed + (peer * rows + row) * own, own, to + row * columns + peer * own);
      }
    }
  }

  // Transforms of length n1 on the own columns, times exp(-2 pi i j2 k1 / n): blocks of eight k1 for each rank.
  void first(const Shape& of, const Batch& batch, const Complex* columns, Lanes* to) {
#pragma omp parallel
    {
      Lanes* x = buffers[static_cast<std::size_t>(omp_get_thread_num())]->data();
      std::array<Lanes, lanes> column{};
      std::array<Complex, lanes> row{};
#pragma omp for schedule(static)
      for (std::int64_t at = 0; at < of.own2(); at += lanes) {
        const auto width = static_cast<int>(std::min<std::int64_t>(lanes, of.own2() - at));
        const std::int64_t j2 = of.rank * of.own2() + at;
        use.load(columns + at, of.own2(), of.split.n1, width, x);
        batch.run(use, x);
        for (int lane = 0; lane < width; ++lane) {
          for (int i = 0; i < lanes; ++i) {
            const Complex factor = roots((j2 + lane) * i % of.split.n());
            column.at(static_cast<std::size_t>(lane)).re[i] = factor.re;
            column.at(static_cast<std::size_t>(lane)).im[i] = factor.im;
          }
        }
        for (std::int64_t block = 0; block < of.ranks * of.blocks(); ++block) {
          const std::int64_t begin = block % of.blocks() * lanes;
          const std::int64_t k1 = block / of.blocks() * of.own1() + begin;
          const auto count = static_cast<int>(std::min<std::int64_t>(lanes, of.own1() - begin));
          for (int lane = 0; lane < width; ++lane) row[static_cast<std::size_t>(lane)] = roots((j2 + lane) * k1);
          use.turn(x, batch.place() + k1, count, column.data(), row.data(), width, to + block * of.own2() + at,
                   past_caches);
        }
      }
    }
  }

  // Transforms of length n2 on the own blocks of k1: rows of k2, all of them or those of each rank after the other's.
  void second(const Shape& of, const Batch& batch, const Lanes* from, Complex* to) {
#pragma omp parallel
    {
      Lanes* x = buffers[static_cast<std::size_t>(omp_get_thread_num())]->data();
#pragma omp for schedule(static)
      for (std::int64_t block = 0; block < of.blocks(); ++block) {
        const std::int64_t k1 = block * lanes;
        const auto count = static_cast<int>(std::min<std::int64_t>(lanes, of.own1() - k1));
        for (std::int64_t peer = 0; peer < of.ranks; ++peer) {
          std::copy_n(from + (peer * of.blocks() + block) * of.own2(), of.own2(), x + peer * of.own2());
        }
        batch.run(use, x);
        use.store(x, batch.place(), of.split.n2, count, of.own1(), to + k1, past_caches);
      }
    }
  }

  Times transform(const Shape& of, const Batch& long1, const Batch& long2, Complex* from, Complex* to) {
    Times times{};
    double last = now();
    const auto spent = [&](Part part) {
      const double time = now();
      times.at(static_cast<std::size_t>(part)) += time - last;
      last = time;
    };
    const bool alone = of.ranks == 1;
    const bool reordered = natural && !alone;
    auto* packed = reinterpret_cast<Complex*>(sent.data());
    Lanes* between = alone ? sent.data() : received->data();
    const Complex* columns = from;
    if (reordered) {
      to_columns(from, packed, of.own1(), of.split.n2);
      spent(Part::reorder);
      exchange(&packed->re, &to->re, 2 * of.own1() * of.own2());
      spent(Part::exchange);
      columns = to;
    }
    first(of, long1, columns, sent.data());
    spent(Part::first);
    if (!alone) {
      exchange(sent.data()->re, between->re, 2 * lanes * of.blocks() * of.own2());
      spent(Part::exchange);
    }
    second(of, long2, between, reordered ? packed : to);
    spent(Part::second);
    if (reordered) {
      exchange(&packed->re, received->data()->re, 2 * of.own1() * of.own2());
      spent(Part::exchange);
      to_rows(reinterpret_cast<const Complex*>(received->data()), to, of.own2(), of.split.n1);
      spent(Part::reorder);
    }
    return times;
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
  double begun;
  Roots roots;
  Batch batch1;
  Batch batch2;
  double planning;
  Array<Complex> in;
  Array<Complex> out;
  Array<Lanes> sent;
  std::optional<Array<Lanes>> received;
  std::vector<std::unique_ptr<Array<Lanes>>> buffers;
};

Fft::Fft(const Params& params, const Split& split, const Communicator& ranks)
    : impl_(make_hidden<Impl>(params, split, ranks)) {}

std::int64_t Fft::size() const { return impl_->size(); }
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

}  // namespace banzuke::fft
