#include "gpu_table.hpp"

#include <algorithm>

#include "gpu_kernels.hpp"
#include "sequence.hpp"

namespace banzuke::gups {
namespace {

constexpr std::int64_t resident = 2048;  // most threads that a multiprocessor holds
constexpr std::int64_t most_waves = 16;
constexpr int fewest_threads = 64, most_threads = 1024;  // of a block
constexpr std::int64_t least_stretch = 16;               // updates of a thread; its first number costs about as much
constexpr std::int64_t counting_blocks = 8;              // per multiprocessor

}  // namespace

Table::Table(std::int64_t n, int multiprocessors)
    : resident_threads_(std::max(1, multiprocessors) * resident),
      words_(static_cast<std::size_t>(n)),
      of_block_(static_cast<std::size_t>(most_waves * resident_threads_ / fewest_threads)),
      of_thread_(most_threads),
      checksums_(static_cast<std::size_t>(counting_blocks * std::max(1, multiprocessors))),
      right_(checksums_.size()) {
  fill();
}

void Table::fill() {
  launch_fill(table(), stream_);
  stream_.wait();
}

Starts Table::starts(std::int64_t first, std::int64_t blocks, int threads, std::int64_t stretch) {
  const auto upload = [&](gpu::DeviceBuffer<std::uint64_t>& to, std::int64_t number, std::uint64_t start,
                          std::uint64_t jump) {
    std::vector<std::uint64_t> numbers(to.size());
    for (std::int64_t i = 0; i < number; ++i) {
      numbers[static_cast<std::size_t>(i)] = start;
      start = multiply(start, jump);
    }
    gpu::upload<std::uint64_t>(to, numbers, stream_);
  };
  upload(of_block_, blocks, element(first), element(threads * stretch));
  upload(of_thread_, threads, 1, element(stretch));
  return {stretch, blocks, of_block_.data(), of_thread_.data()};
}

double Table::run(std::int64_t first, std::int64_t updates, const UpdateWay& way, std::int64_t waves) {
  const std::int64_t threads = std::min(waves, most_waves) * resident_threads_;
  const std::int64_t stretch = std::max(least_stretch, (updates + threads - 1) / threads);
  const std::int64_t of_block = stretch * way.threads;
  const Starts starts = this->starts(first, (updates + of_block - 1) / of_block, way.threads, stretch);
  // The first launch of a kernel may load it, so launch it once with nothing to do.
  way.launch(table(), 0, starts, stream_);
  return timer_.seconds([&] { way.launch(table(), updates, starts, stream_); });
}

void Table::replay(std::int64_t updates) {
  const std::int64_t of_block = Replay::run * Replay::threads;
  const std::int64_t blocks =
      std::clamp((updates + of_block - 1) / of_block, std::int64_t{1}, resident_threads_ / Replay::threads);
  const Starts starts = this->starts(0, blocks, Replay::threads, Replay::run);
  launch_replay(table(), updates, element((blocks * Replay::threads - 1) * Replay::run), starts, stream_);
  stream_.wait();
}

Tally Table::tally() const {
  // If the launch is lost, no word must count as right.
  std::ranges::fill(checksums_.span(), 0);
  std::ranges::fill(right_.span(), 0);
  launch_count(static_cast<std::int64_t>(words_.size()), words_.data(), checksums_.data(), right_.data(),
               static_cast<std::int64_t>(right_.size()), stream_);
  stream_.wait();
  Tally tally;
  for (const std::uint64_t part : checksums_.span()) tally.checksum ^= part;
  for (const std::int64_t part : right_.span()) tally.right += part;
  return tally;
}

std::vector<std::uint64_t> Table::words() const {
  std::vector<std::uint64_t> words(words_.size());
  gpu::download<std::uint64_t>(words, words_, stream_);
  return words;
}

}  // namespace banzuke::gups
