// A device as a group of a shared product: A goes to it at the beginning of each call, and columns of B and C come and
// go in pieces.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/gpu/blas.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/runtime.hpp"
#include "gpu_pieces.hpp"
#include "split.hpp"

namespace banzuke::dgemm {
namespace {

// What a piece needs, from its upload until it has gone.
struct Slot {
  Slot(const Params& p, std::int64_t width, bool locked)
      : b(elements(p.k, width)),
        c(elements(p.m, width)),
        staged_b(locked ? 0 : b.size()),
        staged_c(locked ? 0 : c.size()) {}

  gpu::DeviceBuffer<double> b, c;
  gpu::PinnedBuffer<double> staged_b, staged_c;  // where the matrices themselves are not locked for transfers
  gpu::Event uploaded{}, multiplied{};
  gpu::Event downloaded{gpu::Waiting::asleep};
  Strip columns{};  // of the piece that is here; none: the slot is free
};

// The columns of blocks as pieces.
class Pieces {
 public:
  Pieces(const Params& p, const NextBlock& next) : p_(p), next_(next) {}

  // Empty where there are no more.
  Strip take() {
    if (left_.size() == 0) {
      left_ = next_().columns;
      width_ = left_.size() > 0 ? columns_of_piece(p_, left_.size()) : 0;
    }
    const Strip piece{left_.begin, std::min(left_.end, left_.begin + width_)};
    left_.begin = piece.end;
    return piece;
  }

 private:
  const Params& p_;
  const NextBlock& next_;
  Strip left_{};
  std::int64_t width_ = 0;
};

}  // namespace

std::int64_t columns_of_piece(const Params& p) {
  constexpr std::int64_t bytes = 24'000'000;
  constexpr std::int64_t tiles = 192;
  if (p.piece > 0) return std::min(p.piece, p.n);
  const std::int64_t columns = bytes / (8 * p.m);
  const std::int64_t unit = columns < tiles ? strip_unit : tiles;
  return std::min(p.n, std::max(unit, (columns + unit / 2) / unit * unit));
}

std::int64_t columns_of_piece(const Params& p, std::int64_t strip) {
  const std::int64_t widest = columns_of_piece(p);
  const std::int64_t pieces = (strip + widest - 1) / widest;
  const std::int64_t even = (strip + pieces - 1) / pieces;
  return std::min(widest, (even + strip_unit - 1) / strip_unit * strip_unit);
}

std::int64_t pieces_at_once(const Params& p) { return p.overlap == "no" ? 1 : 4; }

Problem problem_of_group(const Params& p, int ranks) {
  check_split(p, ranks, 1);  // a device alone streams its product, as it does beside others
  const auto of_a = static_cast<double>(p.m) * static_cast<double>(p.k);
  const double columns = static_cast<double>(columns_of_piece(p)) * static_cast<double>(pieces_at_once(p));
  return {.footprint = gpu::host_footprint + footprint(p) / ranks,
          .device_footprint = 8.0 * (of_a + columns * static_cast<double>(p.m + p.k))};
}

bool drives_device() { return true; }

struct Group::Impl {
  explicit Impl(const SharedMatrices& shared)
      : matrices(shared),
        p(shared.params()),
        device(gpu::use_given()),
        lock_a(shared.a().data(), shared.a().size_bytes()),
        lock_b(shared.b().data(), shared.b().size_bytes()),
        lock_c(shared.c().data(), shared.c().size_bytes()),
        locked(lock_a.locked() && lock_b.locked() && lock_c.locked()),
        a(shared.a().size()) {
    for (std::int64_t slot = 0; slot < pieces_at_once(p); ++slot) {
      slots.push_back(std::make_unique<Slot>(p, columns_of_piece(p), locked));
    }
  }

  // The host's end of a transfer is the matrix itself, or a copy that is locked.
  void upload(gpu::DeviceBuffer<double>& to, const double* from, std::size_t size,
              gpu::PinnedBuffer<double>& staged) const {
    if (!locked) {
      std::memcpy(staged.data().address(), from, size * sizeof(double));
      gpu::copy(to.data(), staged.data(), size, uploads);
    } else {
      gpu::copy(to.data(), gpu::HostPointer<const double>(from), size, uploads);
    }
  }

  void begin(Slot& slot, const Strip& columns) {
    slot.columns = columns;
    const std::size_t size = elements(p.m, columns.size());
    double* const home = matrices.column_of_c(columns.begin);
    upload(slot.b, matrices.column_of_b(columns.begin), elements(p.k, columns.size()), slot.staged_b);
    if (p.beta != 0.0) upload(slot.c, home, size, slot.staged_c);
    slot.uploaded.record(uploads);
    products.after(slot.uploaded);
    blas.dgemm(p.m, columns.size(), p.k, p.alpha, a.data(), p.m, slot.b.data(), p.k, p.beta, slot.c.data(), p.m);
    slot.multiplied.record(products);
    downloads.after(slot.multiplied);
    if (locked) {
      gpu::copy(gpu::HostPointer<double>(home), slot.c.data(), size, downloads);
    } else {
      gpu::copy(slot.staged_c.data(), slot.c.data(), size, downloads);
    }
    slot.downloaded.record(downloads);
  }

  // Waits until the piece has gone; its columns, which are none where there is no piece.
  Strip end(Slot& slot) {
    const Strip columns = std::exchange(slot.columns, Strip{});
    if (columns.size() == 0) return columns;
    slot.downloaded.wait();
    if (!locked) {
      std::memcpy(matrices.column_of_c(columns.begin), slot.staged_c.data().address(),
                  elements(p.m, columns.size()) * sizeof(double));
    }
    return columns;
  }

  const SharedMatrices& matrices;
  const Params& p;
  gpu::DeviceInfo device;
  gpu::Pinning lock_a, lock_b, lock_c;
  bool locked;
  gpu::DeviceBuffer<double> a;
  std::vector<std::unique_ptr<Slot>> slots{};
  gpu::Stream uploads{}, products{}, downloads{};
  gpu::Blas blas{products};
};

Group::Group(const SharedMatrices& matrices, const std::vector<std::vector<int>>& /*places*/)
    : impl_(make_hidden<Impl>(matrices)) {}

void Group::compute(const NextBlock& next, const Finish& finish) {
  Impl& device = *impl_;
  double last = now();
  const auto free_slot = [&](Slot& slot) {
    const Strip columns = device.end(slot);
    const double before = std::exchange(last, now());
    if (columns.size() > 0) finish({{0, device.p.m}, columns, {0, device.p.k}}, last - before);
  };
  const auto whole_a = device.matrices.a();
  gpu::copy(device.a.data(), gpu::HostPointer<const double>(whole_a.data()), whole_a.size(), device.uploads);
  Pieces pieces(device.p, next);
  std::size_t turn = 0;
  const auto next_slot = [&]() -> Slot& { return *device.slots[turn++ % device.slots.size()]; };
  while (true) {
    Slot& slot = next_slot();
    free_slot(slot);
    const Strip piece = pieces.take();
    if (piece.size() == 0) break;
    device.begin(slot, piece);
  }
  for (std::size_t slot = 1; slot < device.slots.size(); ++slot) free_slot(next_slot());
}

std::string Group::library() const { return impl_->blas.name(); }

std::string Group::method() const {
  const Impl& device = *impl_;
  const std::string home = device.locked ? "in place" : "staged";
  return home + " on " + device.device.name + " in pieces of " + std::to_string(columns_of_piece(device.p)) +
         " columns, " + std::to_string(device.slots.size()) + " at once";
}

Json::Object Group::conditions() const { return {}; }
Json::Object Group::software() const { return {{"blas", impl_->blas.name()}, {"blas_path", impl_->blas.path()}}; }

}  // namespace banzuke::dgemm
