// One table over all ranks: HPCC's MPIRandomAccess. Updates travel along the edges of a hypercube: in step d a rank
// exchanges with the rank whose number differs in bit d, and sends it all updates for that half of the ranks. After the
// last step it has only updates of its own part of the table.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "gups.hpp"
#include "reference.hpp"
#include "sequence.hpp"

namespace banzuke::gups {
namespace {

// Initial capacity: after each step a rank usually holds about as many updates as it generated. If the ranks' sequences
// all begin with small numbers, the first ranks receive tens of times as many.
constexpr std::size_t usual_in_hand = 2 * most_kept;
constexpr std::int64_t replay_block = std::int64_t{1} << 16U;

}  // namespace

void declare(Parameters& parameters, Params& params) {
  declare_sizes(parameters, params);
  parameters.add("look_ahead", params.look_ahead, "updates whose words are fetched before they are made",
                 {.min = 1, .max = most_kept});
  parameters.add("time_bound", params.time_bound,
                 "seconds that a round may take, by the rate of 1% of its updates; the rest is left out; 0: none is",
                 {.min = 0.0, .max = 1e6});
}

Problem problem(const Params& params, int ranks) {
  check_power_of_two("n", params.n);
  check_power_of_two("ranks", ranks);
  return {.footprint = footprint(params), .facts = {{"table_words", params.n * ranks}}};
}

struct Gups::Impl {
  Impl(const Params& params, const Communicator& ranks)
      : ranks(ranks),
        n(static_cast<std::uint64_t>(params.n)),
        look_ahead(static_cast<std::size_t>(params.look_ahead)),
        updates(updates_of_word * params.n),
        table(static_cast<std::size_t>(params.n)) {}

  std::uint64_t all() const { return n * static_cast<std::uint64_t>(ranks.size()); }
  int owner(std::uint64_t a) const { return static_cast<int>((a & (all() - 1)) / n); }

  // Moves those of the first `count` numbers in `in_hand` to `leaving` whose owners differ from this rank in the bit.
  // Returns how many stay.
  std::size_t part(std::size_t count, unsigned bit) {
    const auto own = static_cast<unsigned>(ranks.rank()) >> bit & 1U;
    leaving.resize(std::max(leaving.size(), count));
    std::size_t stay = 0;
    std::size_t leave = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t a = in_hand[i];
      const bool stays = (static_cast<unsigned>(owner(a)) >> bit & 1U) == own;
      in_hand[stay] = a;
      leaving[leave] = a;
      stay += stays ? 1 : 0;
      leave += stays ? 0 : 1;
    }
    return stay;
  }

  // Sends a chunk of this rank's numbers to their owners and receives those of other ranks. Returns how many numbers
  // this rank has then.
  std::size_t pass_on(std::size_t count) {
    for (unsigned bit = 0; (1U << bit) < static_cast<unsigned>(ranks.size()); ++bit) {
      const int peer = static_cast<int>(static_cast<unsigned>(ranks.rank()) ^ (1U << bit));
      const std::size_t stay = part(count, bit);
      MPI_Request sent = MPI_REQUEST_NULL;
      MPI_Isend(leaving.data(), static_cast<int>(count - stay), MPI_UINT64_T, peer, 0, MPI_COMM_WORLD, &sent);
      MPI_Status status;
      MPI_Probe(peer, 0, MPI_COMM_WORLD, &status);
      int arriving = 0;
      MPI_Get_count(&status, MPI_UINT64_T, &arriving);
      count = stay + static_cast<std::size_t>(arriving);
      in_hand.resize(std::max(in_hand.size(), count));
      MPI_Recv(in_hand.data() + stay, arriving, MPI_UINT64_T, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    return count;
  }

  void start_again() {
    const std::uint64_t first = n * static_cast<std::uint64_t>(ranks.rank());
    for (std::uint64_t i = 0; i < n; ++i) table[i] = first + i;
  }

  // Makes `count` updates of this rank, with the numbers after element `from`; returns seconds.
  double make(std::int64_t from, std::int64_t count) {
    const double start = now();
    std::uint64_t a = element(from);
    for (std::int64_t left = count; left > 0; left -= most_kept) {
      const auto chunk = static_cast<std::size_t>(std::min(left, most_kept));
      for (std::size_t i = 0; i < chunk; ++i) {
        a = next(a);
        in_hand[i] = a;
      }
      change(pass_on(chunk));
    }
    return now() - start;
  }

  void change(std::size_t count) {
    const std::uint64_t mask = n - 1;
    for (std::size_t i = 0; i < std::min(look_ahead, count); ++i) __builtin_prefetch(&table[in_hand[i] & mask], 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + look_ahead < count) __builtin_prefetch(&table[in_hand[i + look_ahead] & mask], 1);
      table[in_hand[i] & mask] ^= in_hand[i];
    }
  }

  const Communicator& ranks;
  std::uint64_t n;  // words of this rank
  std::size_t look_ahead;
  std::int64_t updates;  // of this rank in a round
  Array<std::uint64_t> table;
  std::vector<std::uint64_t> in_hand = std::vector<std::uint64_t>(usual_in_hand);
  std::vector<std::uint64_t> leaving = std::vector<std::uint64_t>(usual_in_hand);
};

Gups::Gups(const Params& params, const Communicator& ranks) : impl_(make_hidden<Impl>(params, ranks)) {
  impl_->start_again();
  if (params.time_bound == 0.0) return;
  constexpr std::int64_t sampled = 100;  // one update of so many, as HPCC samples
  const std::int64_t sample = std::max<std::int64_t>(1, impl_->updates / sampled);
  ranks.barrier();
  const double seconds = ranks.maximum(impl_->make(ranks.rank() * impl_->updates, sample));
  impl_->updates = bounded(params.time_bound, seconds, sample, impl_->updates);
  impl_->start_again();
}

std::int64_t Gups::updates() const { return impl_->updates; }

double Gups::run(std::int64_t round) {
  return impl_->make((round * impl_->ranks.size() + impl_->ranks.rank()) * impl_->updates, impl_->updates);
}

// Repeats the updates for the check, in large blocks that are sent directly from each rank to each.
void Gups::replay(std::int64_t updates) {
  const int size = impl_->ranks.size();
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<std::uint64_t> made(replay_block);
  std::vector<std::uint64_t> sorted(replay_block);
  std::vector<std::uint64_t> arrived;
  for (std::int64_t start = 0; start < updates; start += replay_block * size) {
    const std::int64_t first = std::min(updates, start + replay_block * impl_->ranks.rank());
    made.resize(static_cast<std::size_t>(std::min(updates, first + replay_block) - first));
    std::uint64_t a = element(first);
    std::vector<int> counts(ranks);
    for (std::uint64_t& number : made) {
      a = next(a);
      number = a;
      ++counts[static_cast<std::size_t>(impl_->owner(a))];
    }
    std::vector<int> incoming(ranks);
    MPI_Alltoall(counts.data(), 1, MPI_INT, incoming.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> places(ranks);
    std::vector<int> sources(ranks);
    for (std::size_t i = 1; i < ranks; ++i) {
      places[i] = places[i - 1] + counts[i - 1];
      sources[i] = sources[i - 1] + incoming[i - 1];
    }
    std::vector<int> at = places;
    for (const std::uint64_t number : made) {
      sorted[static_cast<std::size_t>(at[static_cast<std::size_t>(impl_->owner(number))]++)] = number;
    }
    arrived.resize(static_cast<std::size_t>(sources.back()) + static_cast<std::size_t>(incoming.back()));
    MPI_Alltoallv(sorted.data(), counts.data(), places.data(), MPI_UINT64_T, arrived.data(), incoming.data(),
                  sources.data(), MPI_UINT64_T, MPI_COMM_WORLD);
    for (const std::uint64_t number : arrived) impl_->table[number % impl_->n] ^= number;
  }
}

Tally Gups::tally() const {
  Tally own = tally_words(impl_->table.span(), impl_->n * static_cast<std::uint64_t>(impl_->ranks.rank()));
  Tally all;
  MPI_Allreduce(&own.checksum, &all.checksum, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
  MPI_Allreduce(&own.right, &all.right, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

std::int64_t Gups::table_words() const { return static_cast<std::int64_t>(impl_->all()); }

std::vector<std::uint64_t> Gups::words() const {
  const auto words = impl_->table.span();
  return {words.begin(), words.end()};
}

double Gups::line() const { return 64.0; }
double Gups::missing() const { return 1.0; }

Json::Object Gups::conditions() const {
  return {{"huge_page_fraction", huge_page_fraction()}, {"method", "hypercube, one thread a rank"}};
}

std::vector<Verification> Gups::checks() const { return {}; }

}  // namespace banzuke::gups
