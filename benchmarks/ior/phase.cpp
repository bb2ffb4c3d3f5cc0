#include "phase.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/storage/interruption.hpp"

namespace banzuke::ior {
namespace {

// Returns the number of transfers between two looks at the clock: several if they are small, and more for collective
// transfers, where ranks must agree by a message when to stop.
std::int64_t transfers_unchecked(const Params& params) {
  const std::int64_t bytes = std::int64_t{1} << (params.collective == "yes" ? 23U : 16U);
  return std::max<std::int64_t>(1, bytes / params.transfer);
}

double limit(double seconds) { return seconds > 0.0 ? seconds : std::numeric_limits<double>::infinity(); }

}  // namespace

Memory::Memory(const Params& params, std::uint64_t seed)
    : contents(seed, params.transfer, params.queue_depth),
      read(static_cast<std::size_t>(params.transfer * read_places(params))) {
  std::fill_n(read.data(), read.size(), std::byte{0});  // touched before the timed part
}

Phases::Phases(const Params& params, const Context& context, const WorkFolder& folder, Memory& memory)
    : params_(params), context_(context), folder_(folder), memory_(memory), unchecked_(transfers_unchecked(params)) {}

bool Phases::stop(bool own) const {
  return params_.collective == "yes" ? context_.ranks.maximum(own ? 1.0 : 0.0) > 0.0 : own;
}

void Phases::tell(std::int64_t transfers, double seconds) {
  constexpr double pause = 0.5;
  if (!context_.show_progress || seconds - told_ < pause) return;
  told_ = seconds;
  const std::int64_t phases = params_.phases == "write" ? 2 : 3;
  const auto bytes = static_cast<double>(transfers * params_.transfer) * context_.ranks.size();
  context_.progress(steps_ + transfers, params_.rounds * phases * params_.transfers(), bytes / seconds, "B/s");
}

// Continues with transfer `moved.transfers`, up to `count` transfers or until so many seconds after the barrier.
template <class One>
void Phases::transfer(Moved& moved, std::int64_t count, double until, const One& one) {
  const double begin = now() - moved.seconds;
  while (moved.transfers < count) {
    const std::int64_t first = moved.transfers;
    const std::int64_t end = std::min(count, first + unchecked_);
    for (; moved.transfers < end; ++moved.transfers) one(moved.transfers);
    moved.seconds = now() - begin;
    moved.timeline.add(moved.seconds, static_cast<double>((end - first) * params_.transfer));
    tell(moved.transfers, moved.seconds);
    if (stop(moved.seconds >= until || Interruption::requested())) break;
  }
  Interruption::check();
}

template <class One>
Moved Phases::run(const Opening& opening, std::int64_t count, Limits limits, const One& one) {
  const Communicator& ranks = context_.ranks;
  const double most = limit(limits.most_seconds);
  const double stonewall = limit(limits.stonewall);
  Moved moved;
  // The first error is kept, and the remaining steps are done all the same.
  std::string error;
  const auto attempt = [&error](const auto& part) {
    try {
      part();
    } catch (const std::exception& failure) {
      if (error.empty()) error = failure.what();
    }
  };
  std::optional<File> file;
  told_ = 0.0;
  ranks.barrier();
  const double begin = now();
  attempt([&] { file.emplace(params_, opening); });
  moved.opened = now() - begin;
  // In collective transfers no rank can go on alone.
  const bool opened = params_.collective == "yes" ? ranks.maximum(file ? 0.0 : 1.0) == 0.0 : file.has_value();
  const auto transfers = [&](std::int64_t to, double until) {
    if (!opened || !error.empty()) return;
    moved.seconds = now() - begin;
    attempt([&] { transfer(moved, to, until, [&](std::int64_t i) { one(*file, i); }); });
  };
  transfers(count, std::min(most, stonewall));
  if (stonewall < most) {
    moved.at_stonewall = moved.transfers;
    moved.stonewall_seconds = now() - begin;
    transfers(static_cast<std::int64_t>(ranks.maximum(static_cast<double>(moved.transfers))), most);
  }
  if (opened) attempt([&] { file->wait(); });
  if (opened && opening.direction == Direction::write && params_.synchronised()) attempt([&] { file->sync(); });
  moved.transferred = now() - begin;
  if (file) attempt([&] { file->close(); });
  moved.seconds = now() - begin;
  moved.stopped = moved.transfers < count && moved.seconds >= most;
  steps_ += params_.transfers();
  file.reset();
  agree(ranks, error);
  return moved;
}

Moved Phases::write(const Part& part, std::int64_t count) {
  Contents& contents = memory_.contents;
  return run({.folder = folder_, .name = part.name(), .create = !params_.shared(), .direction = Direction::write},
             count, limits(), [&](File& file, std::int64_t i) {
               const std::int64_t offset = part.offset_written(i);
               file.wait(contents.memory(offset));
               file.write(contents.piece(part.file(), offset), offset);
               if (!params_.synchronised_each()) return;
               file.wait();
               file.sync();
             });
}

Moved Phases::read(const Part& part, std::int64_t count) {
  const Part::Reading reading(part, count);
  const std::int64_t places = read_places(params_);
  return run({.folder = folder_, .name = part.name(), .direction = Direction::read}, count, limits(),
             [&](File& file, std::int64_t i) {
               std::byte* data = memory_.read.data() + i % places * params_.transfer;
               file.wait({data, static_cast<std::size_t>(params_.transfer)});
               file.read(data, reading.offset(i));
             });
}

Wrong Phases::verify(const Part& part, std::int64_t count, int writer) {
  const std::span<const std::byte> found(memory_.read.data(), static_cast<std::size_t>(params_.transfer));
  Wrong wrong;
  const auto compare = [&](File& file, std::int64_t i) {
    const std::int64_t offset = part.offset_written(i);
    file.read(memory_.read.data(), offset);
    file.wait();
    const auto at = memory_.contents.first_wrong(part.file(), offset, found);
    if (!at) return;
    if (wrong.transfers++ == 0) {
      wrong.first = "byte " + std::to_string(*at) + " of " + part.name() + ", which rank " + std::to_string(writer) +
                    " wrote and rank " + std::to_string(context_.ranks.rank()) + " on " + Communicator::host() +
                    " read";
    }
  };
  // There is no time limit here, because all data behind a figure must be checked.
  run({.folder = folder_, .name = part.name(), .direction = Direction::read}, count, {}, compare);
  return wrong;
}

}  // namespace banzuke::ior
