#include <mpi.h>

#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "collectives.hpp"
#include "computation.hpp"
#include "core/clock.hpp"
#include "timing.hpp"

namespace banzuke::collectives {
namespace {

struct Call {
  void* send;
  void* receive;
  int count;          // elements of one block
  const int* counts;  // elements of each rank's part; null unless ranks receive parts
};

// OSU uses MPI_CHAR, for which MPI defines no sum; this type has the same size and speed.
MPI_Datatype type() { return MPI_UNSIGNED_CHAR; }
MPI_Comm world() { return MPI_COMM_WORLD; }

struct Barrier {
  static constexpr const char* name = "barrier";
  static void run(const Call& /*call*/) { MPI_Barrier(world()); }
  static void start(const Call& /*call*/, MPI_Request* request) { MPI_Ibarrier(world(), request); }
};

struct Allreduce {
  static constexpr const char* name = "allreduce";
  static void run(const Call& c) { MPI_Allreduce(c.send, c.receive, c.count, type(), MPI_SUM, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Iallreduce(c.send, c.receive, c.count, type(), MPI_SUM, world(), request);
  }
};

struct Alltoall {
  static constexpr const char* name = "alltoall";
  static void run(const Call& c) { MPI_Alltoall(c.send, c.count, type(), c.receive, c.count, type(), world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Ialltoall(c.send, c.count, type(), c.receive, c.count, type(), world(), request);
  }
};

// MPI_Bcast takes one buffer: the root sends from it and the others receive into it.
struct Bcast {
  static constexpr const char* name = "bcast";
  static void* buffer(const Call& c) { return c.send != nullptr ? c.send : c.receive; }
  static void run(const Call& c) { MPI_Bcast(buffer(c), c.count, type(), root, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Ibcast(buffer(c), c.count, type(), root, world(), request);
  }
};

struct Reduce {
  static constexpr const char* name = "reduce";
  static void run(const Call& c) { MPI_Reduce(c.send, c.receive, c.count, type(), MPI_SUM, root, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Ireduce(c.send, c.receive, c.count, type(), MPI_SUM, root, world(), request);
  }
};

struct Allgather {
  static constexpr const char* name = "allgather";
  static void run(const Call& c) { MPI_Allgather(c.send, c.count, type(), c.receive, c.count, type(), world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Iallgather(c.send, c.count, type(), c.receive, c.count, type(), world(), request);
  }
};

struct Gather {
  static constexpr const char* name = "gather";
  static void run(const Call& c) { MPI_Gather(c.send, c.count, type(), c.receive, c.count, type(), root, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Igather(c.send, c.count, type(), c.receive, c.count, type(), root, world(), request);
  }
};

struct Scatter {
  static constexpr const char* name = "scatter";
  static void run(const Call& c) { MPI_Scatter(c.send, c.count, type(), c.receive, c.count, type(), root, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Iscatter(c.send, c.count, type(), c.receive, c.count, type(), root, world(), request);
  }
};

struct ReduceScatter {
  static constexpr const char* name = "reduce_scatter";
  static void run(const Call& c) { MPI_Reduce_scatter(c.send, c.receive, c.counts, type(), MPI_SUM, world()); }
  static void start(const Call& c, MPI_Request* request) {
    MPI_Ireduce_scatter(c.send, c.receive, c.counts, type(), MPI_SUM, world(), request);
  }
};

template <class Operation>
struct Blocking {
  static void run(const Call& call) { Operation::run(call); }
};
template <class Operation>
struct NonBlocking {
  static void run(const Call& call) {
    MPI_Request request = MPI_REQUEST_NULL;
    Operation::start(call, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

// Lets all ranks begin the next call at about the same time; called outside the timed part.
void align() { MPI_Barrier(world()); }

template <class Operation, template <class> class Mode>
void time_calls(const Call& call, std::int64_t warm_up, std::span<double> seconds) {
  align();
  const auto after = [] {
    if constexpr (!std::is_same_v<Operation, Barrier>) align();
  };
  time_each(warm_up, seconds, [&] { Mode<Operation>::run(call); }, after);
}

template <class Operation>
Overlapped overlap_calls(const Call& call, std::int64_t warm_up, double pure, std::span<double> seconds) {
  Overlapped total;
  Computation computation;
  align();
  const auto iterations = static_cast<std::int64_t>(seconds.size());
  for (std::int64_t i = -warm_up; i < iterations; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    const double start = now();
    Operation::start(call, &request);
    const double started = now();
    computation.run(pure);
    const double computed = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const double stop = now();
    align();
    if (i < 0) continue;
    seconds[static_cast<std::size_t>(i)] = stop - start;
    total.start += started - start;
    total.compute += computed - started;
    total.wait += stop - computed;
  }
  const auto calls = static_cast<double>(iterations);
  return {.start = total.start / calls, .compute = total.compute / calls, .wait = total.wait / calls};
}

struct Method {
  const char* name;
  void (*run)(const Call&);
  void (*time)(const Call&, std::int64_t, std::span<double>);
  Overlapped (*overlap)(const Call&, std::int64_t, double, std::span<double>);
};

template <template <class> class Mode, class... Operations>
constexpr std::array<Method, sizeof...(Operations)> methods_of() {
  return {Method{Operations::name, Mode<Operations>::run, time_calls<Operations, Mode>, overlap_calls<Operations>}...};
}

template <template <class> class Mode>
const Method& find(const std::string& name) {
  static constexpr auto methods =
      methods_of<Mode, Barrier, Allreduce, Alltoall, Bcast, Reduce, Allgather, Gather, Scatter, ReduceScatter>();
  for (const Method& method : methods) {
    if (name == method.name) return method;
  }
  throw std::logic_error("no way to call " + name);
}

std::size_t bytes(std::int64_t elements) { return static_cast<std::size_t>(elements); }

}  // namespace

struct Collective::Impl {
  Impl(const Params& params, std::int64_t max_size, const Communicator& communicator)
      : ranks(communicator),
        shape(shape_of(params)),
        method(blocking(params) ? find<Blocking>(shape.name) : find<NonBlocking>(shape.name)),
        send(bytes(sent(max_size))),
        receive(bytes(received(max_size))),
        parts(bytes(shape.receives.blocks == Blocks::part ? ranks.size() : 0)) {}

  std::int64_t sent(std::int64_t size) const { return elements(shape.sends, size, ranks.rank(), ranks.size()); }
  std::int64_t received(std::int64_t size) const { return elements(shape.receives, size, ranks.rank(), ranks.size()); }

  Call call(std::int64_t size) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      parts[rank] = static_cast<int>(elements(shape.receives, size, static_cast<int>(rank), ranks.size()));
    }
    return {.send = sent(size) > 0 ? send.data() : nullptr,
            .receive = receive.data(),
            .count = static_cast<int>(size),
            .counts = parts.data()};
  }

  // Returns whether the barrier let this rank leave before the last rank had entered it. That rank enters late: it
  // waits until all others have begun, and then for `lateness` seconds.
  bool left_early(std::uint64_t number, const Call& call) const {
    constexpr double lateness = 1e-3;
    const int late = static_cast<int>(number % bytes(ranks.size()));
    const int one = 1;
    int begun = 0;
    const double start = now();
    MPI_Reduce(&one, &begun, 1, MPI_INT, MPI_SUM, late, world());
    if (ranks.rank() == late) {
      for (const double all = now(); now() - all < lateness;) {
      }
    }
    method.run(call);
    return now() - start < lateness;
  }

  const Communicator& ranks;
  const Shape& shape;
  const Method& method;
  Buffer send;
  Buffer receive;
  std::vector<int> parts;
};

Collective::Collective(const Params& params, std::int64_t max_size, const Communicator& ranks)
    : impl_(make_hidden<Impl>(params, max_size, ranks)) {}

void Collective::time(std::int64_t size, std::int64_t warm_up, std::span<double> seconds) {
  impl_->method.time(impl_->call(size), warm_up, seconds);
}

Overlapped Collective::overlap(std::int64_t size, std::int64_t warm_up, double pure, std::span<double> seconds) {
  return impl_->method.overlap(impl_->call(size), warm_up, pure, seconds);
}

std::int64_t Collective::wrong(std::int64_t size, std::uint64_t call) {
  Impl& impl = *impl_;
  if (impl.shape.sends.blocks == Blocks::none) return impl.left_early(call, impl.call(size)) ? 1 : 0;
  const int rank = impl.ranks.rank();
  const int ranks = impl.ranks.size();
  const Data data(impl.shape, call, ranks);
  const auto expected = arrivals(impl.shape, size, rank, ranks);
  const auto place = [&](const Arrival& arrival) {
    return std::span(impl.receive.data() + arrival.at, bytes(arrival.count));
  };
  data.fill(impl.send.first(bytes(impl.sent(size))), rank, 0);
  for (const Arrival& arrival : expected) data.spoil(place(arrival), arrival.origin, arrival.position);
  impl.method.run(impl.call(size));
  std::int64_t wrong = 0;
  for (const Arrival& arrival : expected) wrong += data.wrong(place(arrival), arrival.origin, arrival.position);
  return wrong;
}

}  // namespace banzuke::collectives
