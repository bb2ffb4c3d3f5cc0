#include "gpu_slabs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/clock.hpp"

namespace banzuke::hpl {
namespace {

// In pieces of 32 MiB or a few more, so that copies of panels, for which the processors wait, need not wait for all.
template <class T, class U>
void copy_in_pieces(T to, U from, std::int64_t count, const gpu::Stream& stream) {
  const std::int64_t piece = std::max(std::int64_t{4} << 20U, count / 128);
  for (std::int64_t done = 0; done < count; done += piece) {
    gpu::copy(to + done, from + done, size(std::min(piece, count - done)), stream);
  }
}

// Numbers of a slab in host memory: first its elements; later the rows of U, then the factors of its panels.
std::int64_t slab_size(const Params& params, const Streaming& how, std::int64_t number) {
  const std::int64_t ld = distance_of(how.slab);
  const std::int64_t end = how.end_of(number);
  std::int64_t kept = end * ld;
  for (std::int64_t first = number * how.slab; first < end; first += params.nb) kept += factors_size(params, first);
  return std::max(kept, params.n * ld);
}

}  // namespace

// The threads touch its pages, because locking untouched ones takes one thread several times as long.
Slabs::Slab::Slab(std::int64_t begin_, std::int64_t end_, std::int64_t count)
    : begin(begin_),
      end(end_),
      numbers(size(count)),
      pinning(
          [this] {
            constexpr std::int64_t page = 4096 / sizeof(double);
            double* const first = numbers.data();
            const std::int64_t all = std::ssize(numbers.span());
#pragma omp parallel for schedule(static)
            for (std::int64_t i = 0; i < all; i += page) first[i] = 0.0;
            return first;
          }(),
          numbers.size() * sizeof(double)) {
}

Slabs::Slabs(const Params& params, const Distribution& of, const Streaming& how, const gpu::Stream& stream, Apply apply)
    : nb_(params.nb),
      of_(of),
      how_(how),
      ld_(distance_of(how.slab)),
      stream_(stream),
      apply_(std::move(apply)),
      moves_(size(4 * params.nb * ((how.columns + params.nb - 1) / params.nb))),
      places_{Place(size(of.n * ld_)), Place(size(of.n * ld_))},
      arriving_{Arriving(size(factors_size(params, 0)), size(4 * params.nb)),
                Arriving(size(factors_size(params, 0)), size(4 * params.nb))} {
  const double start = now();
  for (std::int64_t number = 0; number < how.slabs(); ++number) {
    const std::int64_t end = how.end_of(number);
    Slab& slab = slabs_.emplace_back(number * how.slab, end, slab_size(params, how, number));
    double* factors = slab.numbers.data() + end * ld_;
    for (std::int64_t first = slab.begin; first < end; first += nb_) {
      kept_.emplace_back().factors = gpu::PinnedPointer<double>(factors);
      factors += factors_size(params, first);
    }
  }
  preparing_ = now() - start;
}

Area Slabs::area(std::int64_t column) {
  const std::int64_t number = column / how_.slab;
  return {.begin = number * how_.slab, .end = how_.end_of(number), .matrix = {place(number).numbers.data(), ld_}};
}

std::span<std::int64_t> Slabs::moves_of(std::int64_t panel) {
  return moves_.span().subspan(size(4 * nb_ * panel), size(4 * nb_));
}

// ---------------------------------------------------------------------------------------------------- the matrix

void Slabs::generate(ColumnBlocks blocks) {
  for (Slab& slab : slabs_) {
    const Area on_device = area(slab.begin);
    launch_generate(of_, blocks, slab.begin, slab.end, on_device.matrix, stream_);
    gpu::copy(gpu::PinnedPointer<double>(slab.numbers.data()), on_device.matrix.start, size(of_.n * ld_), stream_);
  }
  begin();
}

void Slabs::fill_row(std::int64_t row, std::span<const double> elements) {
  for (Slab& slab : slabs_) {
    const auto own = elements.subspan(size(slab.begin), size(slab.end - slab.begin));
    std::ranges::copy(own, slab.numbers.data() + row * ld_);
  }
}

void Slabs::begin() {
  stream_.wait();
  for (std::int64_t number = 0; number < std::min<std::int64_t>(2, how_.slabs()); ++number) load(number);
  loads_.wait();
  loaded_ = 0.0;  // so far the clock has not started
}

void Slabs::load(std::int64_t number) {
  if (number >= how_.slabs()) return;
  Place& to = place(number);
  loads_.after(to.stored);
  copy_in_pieces(to.numbers.data(), gpu::PinnedPointer<const double>(slabs_[size(number)].numbers.data()), of_.n * ld_,
                 loads_);
  to.loaded.record(loads_);
  loaded_ += static_cast<double>(to.numbers.bytes());
}

// -------------------------------------------------------------------------------------------------------- panels

void Slabs::keep(const Factors& panel, std::span<const std::int64_t> moves, const gpu::Event& taken,
                 const gpu::Event& stored) {
  Slab& slab = slab_of(panel.first);
  const auto give = [&](gpu::PinnedPointer<double> to, gpu::DevicePointer<const double> from, std::int64_t count) {
    copy_in_pieces(to, from, count, stores_);
    stored_ += 8.0 * static_cast<double>(count);
  };
  stores_.after(taken);
  const bool last = panel.first + panel.width == slab.end;
  if (slab.end + (last ? how_.slab : 0) < how_.columns) {  // the next slab gets the last panel from the device
    const std::int64_t number = panel.first / nb_;
    Kept& kept = kept_[size(number)];
    std::ranges::copy(moves, moves_of(number).begin());
    kept.displaced = panel.displaced;
    give(kept.factors, panel.inverse, panel.width * panel.width);
    give(kept.factors + body_of_factors(panel.width), panel.body, panel.ld * panel.width);
    kept.stored.record(stores_);
  }
  stored.record(stores_);
  if (!last) return;
  Place& from = place(slab.begin / how_.slab);
  give(gpu::PinnedPointer<double>(slab.numbers.data()), from.numbers.data(), slab.end * ld_);
  from.stored.record(stores_);
}

void Slabs::apply_kept(std::int64_t panel, std::int64_t slab) {
  Arriving& to = arriving_[turn_++ % arriving_.size()];
  const Kept& kept = kept_[size(panel)];
  const std::int64_t first = panel * nb_;
  const std::int64_t width = std::min(nb_, of_.n - first);
  const std::int64_t ld = distance_of(of_.n - first);
  const std::int64_t count = body_of_factors(width) + ld * width;
  factors_.after(to.used);
  factors_.after(kept.stored);
  gpu::copy(to.moves.data(), gpu::PinnedPointer<const std::int64_t>(moves_of(panel).data()), to.moves.size(), factors_);
  copy_in_pieces(to.factors.data(), gpu::PinnedPointer<const double>(kept.factors), count, factors_);
  to.arrived.record(factors_);
  loaded_ += 8.0 * static_cast<double>(count);

  stream_.after(place(slab).loaded);
  stream_.after(to.arrived);
  apply_({.first = first,
          .width = width,
          .inverse = to.factors.data(),
          .body = to.factors.data() + body_of_factors(width),
          .ld = ld,
          .moves = to.moves.data(),
          .displaced = kept.displaced},
         area(slab * how_.slab));
  to.used.record(stream_);
}

bool Slabs::enter(const Factors& panel) {
  const std::int64_t next = current_ + 1;
  const std::int64_t column = panel.first + panel.width;
  if (next >= how_.slabs() || column != next * how_.slab) return false;
  while (applied_ < panel.first / nb_) apply_kept(applied_++, next);
  apply_(panel, area(column));
  current_ = next;
  applied_ = 0;
  load(next + 1);
  return true;
}

void Slabs::work_ahead(const Factors& panel) {
  if (current_ + 1 >= how_.slabs()) return;
  const std::int64_t before = current_ * how_.slab / nb_;
  const std::int64_t own = how_.slab / nb_;
  const std::int64_t number = panel.first / nb_;
  const std::int64_t share = (before + own) * (number + 1 - before) / own;
  while (applied_ < std::min(number, share)) apply_kept(applied_++, current_ + 1);
}

// ------------------------------------------------------------------------------------------------------ solution

const double* Slabs::at(std::int64_t row, std::int64_t column) const {
  const Slab& slab = slabs_[size(column / how_.slab)];
  return slab.numbers.data() + row * ld_ + (column - slab.begin);
}

void Slabs::subtract_solved(std::int64_t row, std::int64_t later, std::span<const double> x,
                            std::span<double> sides) const {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < sides.size(); ++i) {
    double sum = 0.0;
    for (const Slab& slab : slabs_) {
      const std::int64_t from = std::max(later, slab.begin);
      if (from >= slab.end) continue;
      const double* u = at(row + static_cast<std::int64_t>(i), from);
      const double* of = x.data() + from;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t j = 0; j < slab.end - from; ++j) sum += u[j] * of[j];
    }
    sides[i] -= sum;
  }
}

Json::Object Slabs::conditions() const {
  Json::Object all{{"streamed_to_device", loaded_}, {"streamed_to_host", stored_}, {"host_memory_seconds", preparing_}};
  const auto refused = std::ranges::find_if(slabs_, [](const Slab& slab) { return !slab.pinning.locked(); });
  if (refused != slabs_.end()) all.emplace_back("host_memory_not_locked", refused->pinning.why());
  return all;
}

}  // namespace banzuke::hpl
