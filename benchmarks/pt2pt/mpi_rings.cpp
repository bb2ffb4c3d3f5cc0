// Messages of rings and of ping-pong, their check, and the same without MPI.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/hosts.hpp"
#include "core/network.hpp"
#include "core/paired.hpp"
#include "core/random.hpp"
#include "core/shared_memory.hpp"
#include "rings.hpp"

namespace banzuke::pt2pt::rings {
namespace {

constexpr int to_right = 1;
constexpr int to_left = 2;
constexpr int ping = 3;
constexpr int pong = 4;
constexpr int steering = 5;
constexpr int direct_attempts = 5;
constexpr int small_attempts = 16;
constexpr std::int64_t direct_loop = 20;

// What one rank sends to each side and receives from it.
struct Sides {
  explicit Sides(std::int64_t size) : right(static_cast<std::size_t>(size)), left(static_cast<std::size_t>(size)) {}
  Buffer right;
  Buffer left;
};

struct Traffic {
  Sides& out;
  Sides& in;
  int size;
  Neighbours next;
};

void one_after_the_other(const Traffic& t) {
  MPI_Sendrecv(t.out.right.data(), t.size, MPI_BYTE, t.next.right, to_right, t.in.left.data(), t.size, MPI_BYTE,
               t.next.left, to_right, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(t.out.left.data(), t.size, MPI_BYTE, t.next.left, to_left, t.in.right.data(), t.size, MPI_BYTE,
               t.next.right, to_left, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void all_at_once(const Traffic& t) {
  MPI_Request requests[4];
  MPI_Irecv(t.in.left.data(), t.size, MPI_BYTE, t.next.left, to_right, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(t.in.right.data(), t.size, MPI_BYTE, t.next.right, to_left, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(t.out.right.data(), t.size, MPI_BYTE, t.next.right, to_right, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(t.out.left.data(), t.size, MPI_BYTE, t.next.left, to_left, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// Seconds of `loop` exchanges after one that is not counted.
template <class Body>
double timed(std::int64_t loop, const Body& exchange) {
  exchange();
  const double start = now();
  for (std::int64_t i = 0; i < loop; ++i) exchange();
  return now() - start;
}

std::uint64_t seed(std::int64_t size, int round, int sender, int tag) {
  const std::uint64_t exchange = mix(mix(static_cast<std::uint64_t>(size)) + static_cast<std::uint64_t>(round));
  return mix(mix(exchange + static_cast<std::uint64_t>(sender)) + static_cast<std::uint64_t>(tag));
}

std::span<std::byte> whole(Buffer& buffer) { return buffer.first(buffer.size()); }

// The same messages without MPI, between ranks that share memory: a sender's data stay in place, a flag announces them,
// and the receiver copies them.
class Shared {
 public:
  Shared(const Communicator& ranks, std::int64_t size)
      : ranks_(ranks),
        size_(static_cast<std::size_t>(size)),
        part_(page + (size_ + page - 1) / page * page),
        memory_(ranks, part_ * static_cast<std::size_t>(ranks.size())) {
    std::memset(part(ranks.rank()), 1, part_);
  }

  // The least seconds of a message, over some tries, of the slowest rank.
  double ring(const Neighbours& next, Sides& in) {
    return best([&](std::int64_t turn) {
      announce(turn);
      receive(next.left, turn, in.left);
      receive(next.right, turn, in.right);
    });
  }
  // The same for a pair of which this rank is the first, the second, or none; the others must call it, too.
  double pair(int first, int second, Buffer& in) {
    const int rank = ranks_.rank();
    return best([&](std::int64_t turn) {
      if (rank == first) announce(turn);
      if (rank == first) receive(second, turn, in);
      if (rank == second) receive(first, turn, in);
      if (rank == second) announce(turn);
    });
  }

 private:
  using Flag = std::atomic<std::int64_t>;
  static_assert(Flag::is_always_lock_free, "a flag works between processes");
  static constexpr std::size_t page = 4096;

  template <class Body>
  double best(const Body& exchange) {
    double least = INFINITY;
    const std::int64_t loop = size_ > page ? 2 : direct_loop;
    for (int attempt = 0; attempt < (size_ > page ? direct_attempts : small_attempts); ++attempt) {
      ranks_.barrier();
      flag(ranks_.rank()).store(0, std::memory_order_release);
      ranks_.barrier();
      std::int64_t turn = 0;
      const double seconds = timed(loop, [&] { exchange(++turn); });
      least = std::min(least, ranks_.maximum(seconds) / (2.0 * static_cast<double>(loop)));
    }
    return least;
  }
  std::byte* part(int rank) const {
    return static_cast<std::byte*>(memory_.data()) + part_ * static_cast<std::size_t>(rank);
  }
  Flag& flag(int rank) const { return *reinterpret_cast<Flag*>(part(rank)); }
  void announce(std::int64_t turn) { flag(ranks_.rank()).store(turn, std::memory_order_release); }
  void receive(int from, std::int64_t turn, Buffer& in) {
    constexpr int patience = 10'000;  // spins before yielding, because ranks may share a processor
    for (int spins = 0; flag(from).load(std::memory_order_acquire) < turn;) {
      if (spins < patience) {
        ++spins;
      } else {
        sched_yield();
      }
    }
    std::memcpy(in.data(), part(from) + page, size_);
  }

  const Communicator& ranks_;
  std::size_t size_;
  std::size_t part_;
  SharedMemory memory_;
};

class Rings {
 public:
  Rings(const Params& params, const Context& context)
      : params_(params), context_(context), ranks_(context.ranks), hosts_(hosts_of(context.ranks)) {}

  Result run() {
    const Wire wire;
    Result result;
    measure_pairs(pair_latency(params_.iterations), true, result);
    measure_pairs(pair_bandwidth(params_.iterations), false, result);
    measure_ring(ring_latency(params_.iterations), true, result);
    measure_ring(ring_bandwidth(params_.iterations), false, result);
    auto conditions = watch_.conditions();
    result.conditions.insert(result.conditions.begin(), conditions.begin(), conditions.end());
    result.verification.push_back({.quantity = "wrong bytes" + (where_.empty() ? "" : ", first in " + where_),
                                   .value = wrong_,
                                   .tolerance = 0.0});
    const Carried network = carried(ranks_, wire, sent_);
    result.conditions.insert(result.conditions.end(), network.conditions.begin(), network.conditions.end());
    if (network.verification) result.verification.push_back(*network.verification);
    result.conditions.emplace_back("clock_tick", MPI_Wtick());
    for (auto& metric : result.metrics) bound_by_network(network.link_rate, metric);
    return result;
  }

 private:
  std::unique_ptr<Shared> shared(std::int64_t size) const {
    if (hosts_.count > 1) return nullptr;
    try {
      return std::make_unique<Shared>(ranks_, size);
    } catch (const CommonFailure&) {
      return nullptr;  // on every rank; there is no limit then
    }
  }

  void add_wrong(double wrong, const std::string& where) {
    ranks_.sum({&wrong, 1});
    if (wrong > 0.0 && wrong_ == 0.0) where_ = where;
    wrong_ += wrong;
  }

  template <class Exchange>
  double wrong_bytes(const Traffic& t, int round, const Exchange& exchange) {
    fill(whole(t.out.right), seed(t.size, round, ranks_.rank(), to_right));
    fill(whole(t.out.left), seed(t.size, round, ranks_.rank(), to_left));
    exchange(t);
    return static_cast<double>(mismatches(whole(t.in.left), seed(t.size, round, t.next.left, to_right)) +
                               mismatches(whole(t.in.right), seed(t.size, round, t.next.right, to_left)));
  }

  // Returns the seconds of a message on this rank, by the faster way. Its loop is lengthened until it can be timed.
  double ring_seconds(const Traffic& t, std::int64_t& loop) {
    const auto part = watch_.part();
    double seconds = timed(loop, [&] { one_after_the_other(t); });
    while (ranks_.maximum(seconds) < shortest_loop) {
      loop = longer(loop);
      seconds = timed(loop, [&] { one_after_the_other(t); });
    }
    seconds = std::min(seconds, timed(loop, [&] { all_at_once(t); }));
    const double crossing = elsewhere(t.next.left) + elsewhere(t.next.right);
    sent_ += 2.0 * static_cast<double>(loop) * crossing * t.size;
    return seconds / (2.0 * static_cast<double>(loop));
  }

  double elsewhere(int rank) const {
    const auto host = [&](int of) { return hosts_.of_rank[static_cast<std::size_t>(of)]; };
    return host(rank) == host(ranks_.rank()) ? 0.0 : 1.0;
  }

  void measure_ring(const Protocol& protocol, bool latency, Result& result) {
    const std::string what = std::string("rings, ") + (latency ? "latency" : "bandwidth");
    const auto orders = static_cast<std::size_t>(protocol.orders) + 1;
    Sides out(protocol.size);
    Sides in(protocol.size);
    std::vector<double> natural;
    std::vector<double> best(orders, INFINITY);
    std::vector<double> direct(orders, 0.0);
    std::vector<double> leave(orders, 0.0);
    const auto copies = shared(protocol.size);
    std::int64_t loop = protocol.loop;
    for (std::int64_t measurement = 0; measurement < protocol.measurements; ++measurement) {
      std::vector<double> seconds(orders);
      for (std::size_t i = 0; i < orders; ++i) {
        const auto ring = order(ranks_.size(), static_cast<int>(i));
        const Traffic t{out, in, static_cast<int>(protocol.size), neighbours(ring, ranks_.rank())};
        if (measurement == 0) {
          Context::step(what + ", checked");
          const int round = 2 * static_cast<int>(i);
          add_wrong(wrong_bytes(t, round, one_after_the_other) + wrong_bytes(t, round + 1, all_at_once), what);
          Context::step(what + ", copied directly");
          if (copies) direct[i] = copies->ring(t.next, in);
          leave[i] = leaving(ring, hosts_.of_rank);
        }
        Context::step(what + ", order " + std::to_string(i));
        ranks_.barrier();
        seconds[i] = ring_seconds(t, loop);
      }
      ranks_.maximum(seconds);  // a ring is as fast as its slowest rank
      natural.push_back(seconds[0]);
      for (std::size_t i = 0; i < orders; ++i) best[i] = std::min(best[i], seconds[i]);
    }
    const std::vector<double> random(best.begin() + 1, best.end());
    const std::vector<double> copied(direct.begin() + 1, direct.end());
    const double mean_leaving = std::accumulate(leave.begin() + 1, leave.end(), 0.0) / protocol.orders;
    // In the time of a message every rank sends one, on average half to the left: half of those that leave in both.
    add("random_ring", protocol, latency, random, copies ? geometric_mean(copied) : 0.0, mean_leaving / 2.0, result);
    add("natural_ring", protocol, latency, natural, direct[0], leave[0] / 2.0, result);
  }

  void measure_pairs(const Protocol& protocol, bool latency, Result& result) {
    const std::string what = std::string("ping-pong, ") + (latency ? "latency" : "bandwidth");
    Buffer out(static_cast<std::size_t>(protocol.size));
    Buffer in(static_cast<std::size_t>(protocol.size));
    const int last = ranks_.size() - 1;
    std::int64_t loop = protocol.loop;
    Context::step(what + ", first and last rank");
    const double far = ranks_.maximum(pair_seconds(0, last, protocol, loop, out, in));
    const int apart = stride(protocol, far, ranks_.size());
    std::vector<std::pair<int, int>> pairs;
    for (int client = 0; client <= last; client += apart) {
      for (int server = last % apart; server <= last; server += apart) {
        if (client != server) pairs.emplace_back(client, server);
      }
    }
    const auto copies = shared(protocol.size);
    std::vector<double> best(pairs.size(), INFINITY);
    std::vector<double> direct;
    for (std::int64_t measurement = 0; measurement < protocol.measurements; ++measurement) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [client, server] = pairs[i];
        if (measurement == 0) {
          Context::step(what + ", checked and copied directly");
          add_wrong(wrong_of_pair(client, server, protocol.size, out, in), what);
          if (copies && direct.size() < most_copied) direct.push_back(copies->pair(client, server, in));
        }
        Context::step(what + ", ranks " + std::to_string(client) + " and " + std::to_string(server));
        ranks_.barrier();
        best[i] = std::min(best[i], pair_seconds(client, server, protocol, loop, out, in));
      }
      context_.progress(measurement + 1, protocol.measurements);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) best[i] = pairs[i].first == ranks_.rank() ? best[i] : 0.0;
    ranks_.sum(best);
    add("ping_pong", protocol, latency, best, direct.empty() ? 0.0 : median(direct), hosts_.count > 1 ? 1.0 : 0.0,
        result);
  }

  // Returns, on the first rank of the pair, half of a round trip; 0 elsewhere.
  double pair_seconds(int client, int server, const Protocol& protocol, std::int64_t loop, Buffer& out, Buffer& in) {
    const int rank = ranks_.rank();
    const auto size = static_cast<int>(protocol.size);
    if (rank == server) {
      for (MPI_Recv(&loop, 1, MPI_INT64_T, client, steering, MPI_COMM_WORLD, MPI_STATUS_IGNORE); loop > 0;
           MPI_Recv(&loop, 1, MPI_INT64_T, client, steering, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) {
        timed(loop, [&] {
          MPI_Recv(in.data(), size, MPI_BYTE, client, ping, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(out.data(), size, MPI_BYTE, client, pong, MPI_COMM_WORLD);
        });
      }
      return 0.0;
    }
    if (rank != client) return 0.0;
    const auto part = watch_.part();
    double seconds = 0.0;
    for (bool again = true; again; again = seconds < shortest_loop) {
      if (seconds > 0.0) loop = longer(loop);
      MPI_Send(&loop, 1, MPI_INT64_T, server, steering, MPI_COMM_WORLD);
      seconds = timed(loop, [&] {
        MPI_Send(out.data(), size, MPI_BYTE, server, ping, MPI_COMM_WORLD);
        MPI_Recv(in.data(), size, MPI_BYTE, server, pong, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
    }
    constexpr std::int64_t done = 0;
    MPI_Send(&done, 1, MPI_INT64_T, server, steering, MPI_COMM_WORLD);
    sent_ += static_cast<double>(loop) * elsewhere(server) * size;
    return seconds / (2.0 * static_cast<double>(loop));
  }

  double wrong_of_pair(int client, int server, std::int64_t size, Buffer& out, Buffer& in) {
    const int rank = ranks_.rank();
    const auto length = static_cast<int>(size);
    if (rank != client && rank != server) return 0.0;
    const bool first = rank == client;
    const int peer = first ? server : client;
    const int round = 1000 + client;
    fill(whole(out), seed(size, round, rank, peer));
    if (first) MPI_Send(out.data(), length, MPI_BYTE, peer, ping, MPI_COMM_WORLD);
    MPI_Recv(in.data(), length, MPI_BYTE, peer, first ? pong : ping, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!first) MPI_Send(out.data(), length, MPI_BYTE, peer, pong, MPI_COMM_WORLD);
    return static_cast<double>(mismatches(whole(in), seed(size, round, peer, rank)));
  }

  static void add(const std::string& name, const Protocol& protocol, bool latency, const std::vector<double>& seconds,
                  double direct, double through_host, Result& result) {
    const auto size = static_cast<double>(protocol.size);
    Metric metric{name + (latency ? "_latency" : "_bandwidth"), latency ? "s" : "B/s", {}, {.counted = size}};
    for (const double each : seconds) metric.samples.push_back(latency ? quantised(each) : std::round(size / each));
    if (direct > 0.0) {
      metric.bounds.push_back({.kind = "measured",
                               .seconds = direct,
                               .source = "a direct copy through shared memory between the same ranks"});
    }
    if (!latency && through_host > 0.0) {
      metric.work.demand.push_back({.resource = "link.bytes", .amount = size * through_host, .busiest = "host"});
    }
    result.metrics.push_back(std::move(metric));
  }

  static void bound_by_network(double rate, Metric& metric) {
    const double busiest = demanded(metric.work, "link.bytes");
    if (rate <= 0.0 || busiest <= 0.0) return;
    metric.bounds.push_back(
        {.kind = "theoretical", .seconds = busiest / rate, .source = "the rate of the network link"});
  }

  static constexpr std::size_t most_copied = 256;  // pairs whose messages are also copied directly

  const Params& params_;
  const Context& context_;
  const Communicator& ranks_;
  Hosts hosts_;
  Watch watch_;
  double sent_ = 0.0;  // bytes to other hosts
  double wrong_ = 0.0;
  std::string where_;
};

}  // namespace

Result measure(const Params& params, const Context& context) { return Rings(params, context).run(); }

}  // namespace banzuke::pt2pt::rings
