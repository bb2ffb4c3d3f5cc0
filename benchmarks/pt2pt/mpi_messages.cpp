#include <mpi.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "buffers.hpp"
#include "core/random.hpp"
#include "pt2pt.hpp"
#include "reference.hpp"
#include "timing.hpp"
#include "traffic.hpp"

namespace banzuke::pt2pt {
namespace {

void send_and_receive(const Traffic& t) {
  MPI_Send(t.out, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD);
  MPI_Recv(t.in, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void receive_and_send(const Traffic& t) {
  MPI_Recv(t.in, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(t.out, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD);
}

void start_sends(const Traffic& t) {
  for (int i = 0; i < t.window; ++i) {
    MPI_Isend(t.out + i * t.stride, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD, t.sends + i);
  }
}

void start_receives(const Traffic& t) {
  for (int i = 0; i < t.window; ++i) {
    MPI_Irecv(t.in + i * t.stride, t.size, MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD, t.receives + i);
  }
}

void send_window(const Traffic& t) {
  start_sends(t);
  MPI_Waitall(t.window, t.sends, MPI_STATUSES_IGNORE);
  MPI_Recv(t.in, 1, MPI_CHAR, t.peer, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void receive_window(const Traffic& t) {
  start_receives(t);
  MPI_Waitall(t.window, t.receives, MPI_STATUSES_IGNORE);
  MPI_Send(t.out, 1, MPI_CHAR, t.peer, answer_tag, MPI_COMM_WORLD);
}

// The two sides wait in opposite orders, as in OSU's test.
void both_windows_sends_first(const Traffic& t) {
  start_receives(t);
  start_sends(t);
  MPI_Waitall(t.window, t.sends, MPI_STATUSES_IGNORE);
  MPI_Waitall(t.window, t.receives, MPI_STATUSES_IGNORE);
}

void both_windows_receives_first(const Traffic& t) {
  start_receives(t);
  start_sends(t);
  MPI_Waitall(t.window, t.receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(t.window, t.sends, MPI_STATUSES_IGNORE);
}

// Calls `use` with the function of this side. Each function has its own type, so that the timed loop can inline it.
template <class Use>
auto with_side(Exchange kind, bool first, const Use& use) {
  switch (kind) {
    case Exchange::latency:
      return first ? use([](const Traffic& t) { send_and_receive(t); })
                   : use([](const Traffic& t) { receive_and_send(t); });
    case Exchange::bandwidth:
      return first ? use([](const Traffic& t) { send_window(t); }) : use([](const Traffic& t) { receive_window(t); });
    case Exchange::bidirectional:
      break;
  }
  return first ? use([](const Traffic& t) { both_windows_sends_first(t); })
               : use([](const Traffic& t) { both_windows_receives_first(t); });
}

std::uint64_t seed(std::int64_t size, int round, std::int64_t message, int sender) {
  const std::uint64_t exchange = mix(mix(static_cast<std::uint64_t>(size)) + static_cast<std::uint64_t>(round));
  return mix(mix(exchange + static_cast<std::uint64_t>(message)) + static_cast<std::uint64_t>(sender));
}

// Returns whether /dev/shm, where MPI libraries allocate shared windows, has this much space. Touching a file that
// exceeds it would kill the process.
bool room_for(double bytes) {
  struct statvfs space{};
  if (statvfs("/dev/shm", &space) != 0) return false;
  return static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) > bytes;
}

std::vector<double> no_time(Count count) { return std::vector<double>(static_cast<std::size_t>(count.iterations)); }

// Runs the exchange `count` times, and times each if this side is the first.
template <class Body>
std::vector<double> repeated(Side side, Count count, bool together, Body exchange) {
  const auto before = [together] {
    if (together) MPI_Barrier(MPI_COMM_WORLD);
  };
  if (side.first) return timed_loop(count, before, exchange);
  for (std::int64_t i = 0; i < count.warm_up + count.iterations; ++i) {
    before();
    exchange();
  }
  return no_time(count);
}

}  // namespace

struct Messages::Impl {
  Impl(const Communicator& ranks, const Params& params)
      : rank(ranks.rank()),
        size(ranks.size()),
        window(params.window),
        room(buffer_bytes(params)),
        buffers(make_buffers(params, side(ranks.rank(), ranks.size()).first)),
        sends(static_cast<std::size_t>(params.window)),
        receives(static_cast<std::size_t>(params.window)),
        hosts(static_cast<std::size_t>(ranks.size())) {
    const std::uint64_t host = std::hash<std::string>()(Communicator::host());
    MPI_Allgather(&host, 1, MPI_UINT64_T, hosts.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  }

  // Freeing is collective, so it is left out while an exception is about to end all ranks, because the others do not
  // call it.
  ~Impl() {
    if (std::uncaught_exceptions() > 0) return;
    if (memory != MPI_WIN_NULL) MPI_Win_free(&memory);
    if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint64_t host(int of) const { return hosts[static_cast<std::size_t>(of)]; }

  Traffic traffic(Side side, std::int64_t message, std::ptrdiff_t stride, std::int64_t messages) {
    return {.out = buffers->out(),
            .in = buffers->in(),
            .stride = stride,
            .size = static_cast<int>(message),
            .window = static_cast<int>(messages),
            .peer = side.peer,
            .sends = sends.data(),
            .receives = receives.data()};
  }

  int rank;
  int size;
  std::int64_t window;
  std::int64_t room;  // bytes of each buffer
  std::unique_ptr<Buffers> buffers;
  std::vector<MPI_Request> sends;
  std::vector<MPI_Request> receives;
  std::vector<std::uint64_t> hosts;  // hash of each rank's host name
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Win memory = MPI_WIN_NULL;
  std::optional<Direct> copies;
};

Messages::Messages(const Communicator& ranks, const Params& params) : impl_(make_hidden<Impl>(ranks, params)) {}

std::vector<double> Messages::timed(Exchange kind, Side side, std::int64_t size, Count count, bool together) {
  // OSU writes the buffers before each size; done here too, so that caches hold the same as there, not the data checked
  // before.
  impl_->buffers->write(size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (side.peer < 0) return no_time(count);
  const Traffic traffic = impl_->traffic(side, size, 0, kind == Exchange::latency ? 1 : impl_->window);
  if (impl_->buffers->staged()) {
    return repeated(side, count, together, [&] { impl_->buffers->exchange(kind, side.first, traffic); });
  }
  return with_side(kind, side.first,
                   [&](auto exchange) { return repeated(side, count, together, [&] { exchange(traffic); }); });
}

std::int64_t Messages::wrong_bytes(Exchange kind, Side side, std::int64_t size) {
  if (side.peer < 0) return 0;
  constexpr int rounds = 2;  // with different data, so that data left from the first does not pass in the second
  const bool receives = kind != Exchange::bandwidth || !side.first;
  const std::int64_t messages = kind == Exchange::latency ? 1 : impl_->window;
  const std::int64_t at_once = size == 0 ? messages : std::min(messages, impl_->room / size);
  Buffers& buffers = *impl_->buffers;
  std::int64_t wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::int64_t done = 0; done < messages; done += at_once) {
      const std::int64_t some = std::min(at_once, messages - done);
      for (std::int64_t i = 0; i < some; ++i) {
        buffers.fill_out(i * size, size, seed(size, round, done + i, impl_->rank));
      }
      const Traffic traffic = impl_->traffic(side, size, size, some);
      if (buffers.staged()) {
        buffers.exchange(kind, side.first, traffic);
      } else {
        with_side(kind, side.first, [&](auto exchange) { exchange(traffic); });
      }
      for (std::int64_t i = 0; receives && i < some; ++i) {
        wrong += buffers.wrong_in(i * size, size, seed(size, round, done + i, side.peer));
      }
    }
  }
  return wrong;
}

bool Messages::share_memory(Side side, std::int64_t most) {
  const std::size_t part = Direct::part_bytes(static_cast<std::size_t>(most));
  const auto everywhere = [](bool here) {
    int all = here ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
  };
  // Check this first, because splitting many ranks into groups of two is expensive.
  if (!everywhere(impl_->buffers->host() && !elsewhere(side.peer) &&
                  room_for(2.0 * impl_->size * static_cast<double>(part))))
    return false;
  MPI_Comm_split(MPI_COMM_WORLD, std::min(impl_->rank, side.peer), impl_->rank, &impl_->pair);
  MPI_Comm near = MPI_COMM_NULL;
  MPI_Comm_split_type(impl_->pair, MPI_COMM_TYPE_SHARED, impl_->rank, MPI_INFO_NULL, &near);
  int sharing = 0;
  MPI_Comm_size(near, &sharing);
  MPI_Comm_free(&near);
  if (!everywhere(sharing == 2)) return false;

  MPI_Info apart = MPI_INFO_NULL;  // each part on separate pages, in the memory near its rank
  MPI_Info_create(&apart);
  MPI_Info_set(apart, "alloc_shared_noncontig", "true");
  void* own = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(part), 1, apart, impl_->pair, static_cast<void*>(&own), &impl_->memory);
  MPI_Info_free(&apart);
  std::memset(own, 0, part);
  void* peers = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  const int peer = impl_->rank < side.peer ? 1 : 0;
  MPI_Win_shared_query(impl_->memory, peer, &bytes, &unit, static_cast<void*>(&peers));
  impl_->copies.emplace(static_cast<std::byte*>(own), static_cast<std::byte*>(peers));
  MPI_Barrier(MPI_COMM_WORLD);
  return true;
}

std::vector<double> Messages::direct(Exchange kind, Side side, std::int64_t size, bool together) {
  const std::int64_t window = kind == Exchange::latency ? 1 : impl_->window;
  const Count count{.iterations = direct_tries(static_cast<double>(size * window)), .warm_up = 1};
  return repeated(side, count, together, [&] {
    impl_->copies->run(kind, side.first, impl_->buffers->in(), static_cast<std::size_t>(size), window);
  });
}

Json::Object Messages::conditions() const { return impl_->buffers->conditions(); }

bool Messages::elsewhere(int rank) const { return impl_->host(rank) != impl_->host(impl_->rank); }

int Messages::through_network() const {
  std::map<std::uint64_t, std::pair<int, int>> by_host;  // outgoing and incoming exchanges
  for (int rank = 0; rank < impl_->size; ++rank) {
    const Side of = side(rank, impl_->size);
    if (impl_->host(rank) == impl_->host(of.peer)) continue;
    auto& [going, coming] = by_host[impl_->host(rank)];
    ++(of.first ? going : coming);
  }
  int most = 0;
  for (const auto& [host, counted] : by_host) most = std::max({most, counted.first, counted.second});
  return most;
}

std::vector<double> Messages::gather(const std::vector<double>& row) const {
  const auto length = static_cast<int>(row.size());
  std::vector<double> rows(impl_->rank == 0 ? row.size() * impl_->hosts.size() : 0);
  MPI_Gather(row.data(), length, MPI_DOUBLE, rows.data(), length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return rows;
}

}  // namespace banzuke::pt2pt
