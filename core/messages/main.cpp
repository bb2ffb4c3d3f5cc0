// banzuke-messages: how fast one MPI library is between processors of this host, whichever library it is.
//
//   mpiexec -n RANKS banzuke-messages PATH CPU,CPU,...
//
// PATH: the library; CPU: the processor of each rank. Rank 0 prints one JSON object: the time of an 8 B message and the
// rate of 1 MiB messages between ranks 0 and 1, and the time of an 8 B Allreduce of all ranks. Each is the best of
// several batches, because others only make it longer. What arrives is checked.

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "core/json.hpp"
#include "library.hpp"

namespace banzuke {
namespace {

constexpr int kBatches = 25;       // the first one sets up connections
constexpr int kMessages = 100;     // of 8 B in a batch
constexpr int kWindow = 16;        // of the large messages, under way at once
constexpr int kLarge = 1 << 20;    // bytes
constexpr double kPatience = 1.0;  // seconds after which a slow library gets no further batches

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void demand(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> out;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0 || (next != end && *next != ',')) {
      throw std::runtime_error("'" + text + "' is no list of processors");
    }
    out.push_back(value);
    at = next == end ? end : next + 1;
  }
  return out;
}

void bind(int cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  const std::size_t size = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  const int status = sched_setaffinity(0, size, set);
  const int error = errno;
  CPU_FREE(set);
  if (status != 0) throw std::system_error(error, std::generic_category(), "bind to processor " + std::to_string(cpu));
}

// Returns the shortest time of a batch. `batch` is carried out by all ranks, equally often: rank 0 decides when it has
// been long enough.
template <class Batch>
double best(Messages& ranks, const Batch& batch) {
  double shortest = std::numeric_limits<double>::infinity();
  const double begun = now();
  for (int i = 0; i < kBatches; ++i) {
    ranks.barrier();
    const double start = now();
    batch(i);
    const double time = now() - start;
    if (i > 0) shortest = std::min(shortest, time);
    const bool over = ranks.rank() == 0 && i > 0 && now() - begun > kPatience;
    if (ranks.sum(over ? 1.0 : 0.0) > 0) break;
  }
  return shortest;
}

// Ranks 0 and 1 pass a number to and fro, and each adds 1.
double latency(Messages& ranks) {
  const double time = best(ranks, [&](int i) {
    std::int64_t number = std::int64_t{1000} * i;
    for (int message = 0; message < kMessages; ++message) {
      if (ranks.rank() == 0) {
        ranks.send(&number, sizeof number, 1);
        ranks.receive(&number, sizeof number, 1);
        ++number;
      } else if (ranks.rank() == 1) {
        std::int64_t other = 0;
        ranks.receive(&other, sizeof other, 0);
        number = other + 1;
        ranks.send(&number, sizeof number, 0);
      }
    }
    demand(ranks.rank() != 0 || number == std::int64_t{1000} * i + 2 * kMessages, "wrong message of 8 B");
  });
  return time / (2 * kMessages);
}

double bandwidth(Messages& ranks) {
  std::vector<std::int64_t> data(kLarge / sizeof(std::int64_t), 0);
  const double time = best(ranks, [&](int i) {
    std::int64_t last = i;
    if (ranks.rank() == 0) {
      data.front() = data.back() = i;
      ranks.send_many(data.data(), kLarge, 1, kWindow);
      ranks.receive(&last, sizeof last, 1);
    } else if (ranks.rank() == 1) {
      ranks.receive_many(data.data(), kLarge, 0, kWindow);
      demand(data.front() == i && data.back() == i, "wrong message of 1 MiB");
      ranks.send(&last, sizeof last, 0);
    }
    demand(last == i, "wrong answer to messages of 1 MiB");
  });
  return double{kWindow} * kLarge / time;
}

double reduction(Messages& ranks) {
  const double all = ranks.size() * (ranks.size() - 1) / 2.0;
  const double time = best(ranks, [&](int i) {
    for (int message = 0; message < kMessages; ++message) {
      const double number = double{kMessages} * i + message;
      demand(ranks.sum(ranks.rank() + number) == all + number * ranks.size(), "wrong sum");
    }
  });
  return time / kMessages;
}

void run(const std::string& path, const std::vector<int>& cpus) {
  demand(cpus.size() >= 2, "two processors at least are needed");
  const auto ranks = Messages::load(path);
  demand(static_cast<std::size_t>(ranks->size()) == cpus.size(), "the launcher is not that of this MPI library");
  bind(cpus[static_cast<std::size_t>(ranks->rank())]);
  const double one = latency(*ranks);
  const double large = bandwidth(*ranks);
  const double sum = reduction(*ranks);
  if (ranks->rank() == 0) {
    const Json out = Json::object({{"version", ranks->version()},
                                   {"interface", ranks->interface()},
                                   {"ranks", ranks->size()},
                                   {"latency", one},
                                   {"bandwidth", large},
                                   {"allreduce", sum}});
    std::cout << out.dump() << '\n' << std::flush;
  }
  ranks->finalize();
}

}  // namespace
}  // namespace banzuke

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: mpiexec -n RANKS banzuke-messages LIBRARY CPU,CPU,...");
    banzuke::run(argv[1], banzuke::numbers(argv[2]));
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "banzuke-messages: " + std::string(error.what()) + "\n";  // at once: other ranks write, too
    std::_Exit(EXIT_FAILURE);  // a library's own end may wait for other ranks
  }
}
