// Tests of communication among ranks; run with two or more. Exit status 1 if something is wrong.
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/all_to_all.hpp"
#include "core/binding.hpp"
#include "core/communicator.hpp"
#include "core/halo.hpp"
#include "core/nearness.hpp"
#include "core/rank_rates.hpp"
#include "core/shared_memory.hpp"
#include "core/subcommunicator.hpp"

namespace {

using namespace banzuke;

bool check(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "failed: %s\n", what);
  return holds;
}

using Numbers = std::vector<double>;

Numbers numbers(std::size_t count, double value) {
  Numbers out;
  out.assign(count, value);
  return out;
}

// Splits even and odd ranks, numbered in reverse.
bool check_subcommunicator(const Communicator& ranks) {
  const int colour = ranks.rank() % 2;
  const SubCommunicator half(ranks, colour, -ranks.rank());
  const int members = (ranks.size() + 1 - colour) / 2;
  bool good = check(half.size() == members, "ranks of one colour form a subcommunicator");
  good &= check(half.rank() == members - 1 - ranks.rank() / 2, "the key orders a subcommunicator");

  double sum = 0.0;
  for (int rank = colour; rank < ranks.size(); rank += 2) sum += rank;
  Numbers values = numbers(3, ranks.rank());
  half.sum(values);
  good &= check(values == numbers(3, sum), "the sum is the subcommunicator's, on every rank");
  for (int root = 0; root < half.size(); ++root) {
    values = numbers(3, ranks.rank());
    half.sum(root, values);
    if (half.rank() == root) good &= check(values == numbers(3, sum), "the sum is at the root");
    values = numbers(2, half.rank());
    half.broadcast(root, values);
    good &= check(values == numbers(2, root), "the root's numbers are everywhere");
  }
  return good;
}

// All ranks of this test are under one kernel, whatever MPI considers a host.
bool check_local_rank(const Communicator& ranks) {
  bool good = check(!Communicator::kernel().empty(), "a kernel has a name");
  good &= check(ranks.local_rank() == ranks.rank(), "ranks under one kernel are counted in their order");
  good &= check(ranks.group() == 0, "a program that was started alone is the first");
  good &= check(ranks.local_rank_in_group() == ranks.rank(), "one program's ranks are counted in their order");
  return good;
}

bool check_pairs(const Communicator& ranks) {
  const SubCommunicator all(ranks, 0, ranks.rank());
  const int rank = all.rank();
  bool good = true;
  const int peer = rank ^ 1;
  if (peer < all.size()) {
    Numbers in(4);
    all.exchange(peer, numbers(4, rank), in);
    good &= check(in == numbers(4, peer), "two ranks exchange");
  }
  if (rank == 0) {
    for (int to = 1; to < all.size(); ++to) all.send(to, numbers(2, 10 * to));
  } else {
    Numbers in(2);
    all.receive(0, in);
    good &= check(in == numbers(2, 10 * rank), "a message arrives");
  }
  bool refused = false;
  try {
    const double one = 0.0;
    all.send(rank, {&one, std::size_t{1} << 31U});
  } catch (const std::length_error&) {
    refused = true;
  }
  good &= check(refused, "a message longer than MPI's is refused");
  return good;
}

// By the library's own method; the numbers encode source and target.
bool check_library_all_to_all(const Communicator& ranks) {
  const SubCommunicator all(ranks, 0, -ranks.rank());
  Numbers out;
  Numbers wanted;
  for (int peer = 0; peer < all.size(); ++peer) {
    for (int i = 0; i < 3; ++i) {
      out.push_back(100 * all.rank() + 10 * peer + i);
      wanted.push_back(100 * peer + 10 * all.rank() + i);
    }
  }
  Numbers in(out.size());
  all.all_to_all(out, in);
  const bool good = check(in == wanted, "every rank has its part of all ranks");
  bool refused = false;
  try {
    Numbers odd(static_cast<std::size_t>(all.size()) + 1);
    all.all_to_all(odd, odd);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  return good & check(refused, "parts that are not equal are refused");
}

// Around a ring, several messages at once, received in a different order than sent.
bool check_transfer(const Communicator& ranks) {
  const SubCommunicator all(ranks, 0, ranks.rank());
  const int next = (all.rank() + 1) % all.size();
  const int previous = (all.rank() + all.size() - 1) % all.size();
  const auto expected = [&](int tag, int number) { return numbers(1000, 100 * previous + 10 * tag + number); };
  const auto position = [](int tag, int number) {
    const int at = 2 * tag + number;
    return static_cast<std::size_t>(at);
  };
  std::array<Numbers, 4> out;
  std::array<Numbers, 4> in;
  bool good = true;
  for (const bool poll : {true, false}) {
    in.fill(Numbers(1000));
    Transfer transfer(all);
    good &= check(transfer.done(), "nothing is under way at first");
    for (int tag = 1; tag >= 0; --tag) {
      for (int number = 0; number < 2; ++number) {
        transfer.receive(previous, in.at(position(tag, number)), tag + 1);
      }
    }
    good &= check(!transfer.done(), "what nobody has sent is under way");
    ranks.barrier();
    for (int tag = 0; tag < 2; ++tag) {
      for (int number = 0; number < 2; ++number) {
        auto& message = out.at(position(tag, number));
        message = numbers(1000, 100 * all.rank() + 10 * tag + number);
        transfer.send(next, message, tag + 1);
      }
    }
    if (poll) {
      while (!transfer.done()) {
      }
    } else {
      transfer.wait();
    }
    for (int i = 0; i < 4; ++i) {
      good &= check(in[static_cast<std::size_t>(i)] == expected(i / 2, i % 2),
                    "equal tags keep their order, others do not mix");
    }
    good &= check(transfer.done(), "what has arrived is not under way");
  }
  {
    in.fill(Numbers(1000));
    Transfer transfer(all);
    transfer.send(next, out[3], 1);
    transfer.receive(previous, in[3], 1);
  }
  good &= check(in[3] == expected(1, 1), "a transfer that ends has waited");
  return good;
}

// A chain of ranks with three rows of two values; the first row goes to the rank before, rows 2 and 1 to the one after.
bool check_halo(const Communicator& ranks) {
  const SubCommunicator all(ranks, 0, ranks.rank());
  const int rank = all.rank();
  std::vector<Halo::Neighbour> neighbours;
  if (rank > 0) neighbours.push_back({.rank = rank - 1, .send = {0}, .receive = 2});
  if (rank + 1 < all.size()) neighbours.push_back({.rank = rank + 1, .send = {2, 1}, .receive = 1});
  Halo halo(all, neighbours, 3, 2);
  const auto value = [](int owner, int row, int part) { return 100.0 * owner + 10.0 * row + part; };
  Numbers x;
  for (int row = 0; row < 3; ++row) x.insert(x.end(), {value(rank, row, 0), value(rank, row, 1)});
  Numbers wanted = x;
  if (rank > 0) {
    for (const int row : {2, 1}) wanted.insert(wanted.end(), {value(rank - 1, row, 0), value(rank - 1, row, 1)});
  }
  if (rank + 1 < all.size()) wanted.insert(wanted.end(), {value(rank + 1, 0, 0), value(rank + 1, 0, 1)});
  x.resize(6 + 2 * static_cast<std::size_t>(halo.external()));
  bool good = true;
  for (int round = 0; round < 2; ++round) {
    halo.exchange(x.data());
    good &= check(x == wanted, "a halo holds the neighbours' rows, neighbour by neighbour");
  }
  return good;
}

// Three pieces of different lengths, all in flight at once; the numbers encode source, target and piece. The short ones
// are combined if ranks are in blocks.
bool check_all_to_all(const Communicator& ranks, const Blocks* blocks) {
  struct Pair {
    double from_to = 0.0;
    double at = 0.0;

    bool operator==(const Pair&) const = default;
  };
  const SubCommunicator all(ranks, 0, ranks.rank());
  const auto parts = [&](int piece, int length, bool sent) {
    std::vector<Pair> out;
    for (int peer = 0; peer < all.size(); ++peer) {
      for (int i = 0; i < length; ++i) {
        const int from_to = sent ? 100 * all.rank() + peer : 100 * peer + all.rank();
        out.push_back({.from_to = static_cast<double>(from_to), .at = 1e6 * piece + i});
      }
    }
    return out;
  };
  constexpr std::array lengths{1, 200'000, 7};  // the second is not an eager message, and is copied by several threads
  AllToAll exchange(all, lengths.size(), 3, blocks);
  std::vector<std::vector<Pair>> out;
  std::vector<std::vector<Pair>> in;
  bool good = true;
  for (const bool poll : {false, true}) {
    for (int piece = 0; piece < 3; ++piece) {
      out.push_back(parts(piece, lengths.at(static_cast<std::size_t>(piece)), true));
      in.emplace_back(out.back().size());
    }
    const std::size_t first = out.size() - 3;
    for (std::size_t piece = 0; piece < 3; ++piece) {
      exchange.start<Pair>(static_cast<int>(piece), out[first + piece], in[first + piece]);
    }
    if (poll) {
      while (!exchange.done()) {
      }
    } else {
      exchange.wait(1);
      good &= check(in[first + 1] == parts(1, lengths[1], false), "a piece that was waited for is there");
      exchange.wait();
    }
    for (int piece = 0; piece < 3; ++piece) {
      good &= check(in[first + static_cast<std::size_t>(piece)] ==
                        parts(piece, lengths.at(static_cast<std::size_t>(piece)), false),
                    "every rank has the parts of all ranks, piece by piece");
    }
  }
  bool refused = false;
  try {
    Numbers odd(static_cast<std::size_t>(all.size()) + 1);
    exchange.start<double>(0, odd, odd);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  return good & check(refused, "parts that are not equal are refused");
}

bool check_hosts(const Communicator& ranks) {
  const Hosts hosts = hosts_of(ranks);
  bool good = check(hosts.fullest == ranks.size() && hosts.block == ranks.size(), "all ranks are on one host");
  const std::vector<int> numbers(static_cast<std::size_t>(ranks.size()));
  good &= check(hosts.count == 1 && hosts.of_rank == numbers, "which is number 0");
  const auto mine = static_cast<double>(ranks.rank());
  good &= check(busiest_host(ranks, hosts, mine) == 0.5 * ranks.size() * (ranks.size() - 1), "and has what all have");
  Hosts apart{.count = ranks.size(), .of_rank = numbers};
  for (int rank = 0; rank < ranks.size(); ++rank) apart.of_rank[static_cast<std::size_t>(rank)] = rank;
  good &= check(busiest_host(ranks, apart, mine) == ranks.size() - 1, "the busiest of several has most");
  for (int size = 2; size < ranks.size(); ++size) {
    if (ranks.size() % size != 0) continue;
    const Blocks blocks(ranks, size);
    good &= check_all_to_all(ranks, &blocks);
  }
  return good;
}

// All ranks read what one writes, and all count in one shared counter.
bool check_shared_memory(const Communicator& ranks) {
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto size = static_cast<std::size_t>(ranks.size());
  constexpr std::size_t each = 300'000;  // more than a huge page
  const SharedArray<double> numbers(ranks, each * size);
  const SharedArray<std::atomic<int>> counter(ranks, 1);
  bool good = check(numbers[rank * each] == 0.0 && counter[0] >= 0, "shared memory is zero at first");
  for (std::size_t i = 0; i < each; ++i) numbers[rank * each + i] = static_cast<double>(rank + 1);
  numbers.collapse(rank * each, (rank + 1) * each);
  for (int i = 0; i < 1000; ++i) counter[0].fetch_add(1);
  ranks.barrier();
  bool right = true;
  for (std::size_t of = 0; of < size; ++of) {
    for (std::size_t i = 0; i < each; ++i) right &= numbers[of * each + i] == static_cast<double>(of + 1);
  }
  good &= check(right, "every rank sees what all have written");
  good &= check(counter[0] == 1000 * ranks.size(), "what all ranks count is one number");
  ranks.barrier();
  return good;
}

// All ranks are on one host, so one of them measures for all.
bool check_nearness(const Communicator& ranks) {
  const std::vector<int> allowed = allowed_cpus();
  const auto told = [&](const std::vector<int>& processors) {
    Nearness nearness(ranks, processors, allowed);
    nearness.look();
    return Json(nearness.conditions()).dump();
  };
  const std::string none = told({});
  bool good = check(none == "{}", "ranks without processors have no distance");
  // Other processes may keep two threads from meeting; then there is no time.
  const auto measured = [&](const std::vector<int>& processors) {
    std::string text;
    std::array<double, 1> seen{};
    for (int tries = 0; tries < 50 && seen[0] == 0.0; ++tries) {
      text = told(processors);
      seen[0] = text == "{}" ? 0.0 : 1.0;
      ranks.maximum(seen);
    }
    return text;
  };
  const std::string one = measured({allowed.back()});
  const std::string every = measured(ranks.rank() == 0 ? std::vector<int>{} : allowed);
  if (ranks.rank() != 0 || allowed.size() < 2) {
    return good & check(one == "{}" && every == "{}", "rank 0 alone tells, of two processors or more");
  }
  const std::string ends = std::to_string(allowed.front()) + "," + std::to_string(allowed.back());
  good &= check(one.find(R"("exchange_processors":")" + std::to_string(allowed.back()) + ",") != std::string::npos,
                "one processor is compared with another one");
  good &= check(every.find(R"("exchange_processors":")" + ends + '"') != std::string::npos,
                "several are by the outermost, whose ever they are");
  return good & check(every.find("exchange_latency_before") != std::string::npos, "the first look is kept") &
         check(every.find("exchange_host") == std::string::npos, "one host needs no name");
}

bool check_rank_rates(const Communicator& ranks) {
  const int own = 2 * ranks.rank() + 2;
  const Json told = rank_rate_conditions(ranks, {{"up", own}, {"down", -own}});
  const int least = 2;
  const int most = 2 * ranks.size();
  const auto spread = [](int minimum, int average, int maximum) {
    return Json::object({{"minimum", minimum}, {"average", average}, {"maximum", maximum}});
  };
  const int mean = ranks.size() + 1;
  const Json expected = Json::object(
      {{"rank_rates", Json::object({{"up", spread(least, mean, most)}, {"down", spread(-most, -mean, -least)}})}});
  return check(told.dump() == expected.dump(), "the spread of the ranks' rates is on every rank");
}

bool check_all(const Communicator& ranks) {
  const int rank = ranks.rank();
  bool good = check(ranks.size() > 1, "several ranks");

  std::array<double, 2> values{static_cast<double>(rank), static_cast<double>(-rank)};
  ranks.maximum(values);
  good &= check(values[0] == ranks.size() - 1 && values[1] == 0.0, "the maximum is element by element");

  values = {static_cast<double>(rank), 1.0};
  ranks.sum(values);
  good &= check(values[0] == 0.5 * ranks.size() * (ranks.size() - 1) && values[1] == ranks.size(),
                "the sum is element by element");

  // A check that is NaN on one rank must not pass on rank 0, whichever rank it is.
  for (int bad = 0; bad < ranks.size(); ++bad) {
    const double worst = ranks.maximum(rank == bad ? std::nan("") : 0.1);
    good &= check(!(worst <= 1e300), "NaN of one rank is not lost");
  }

  const std::vector<std::string> texts = ranks.gather(std::string(static_cast<std::size_t>(rank), 'x'));
  good &= check(texts.size() == static_cast<std::size_t>(rank == 0 ? ranks.size() : 0), "texts are on rank 0 alone");
  for (std::size_t i = 0; i < texts.size(); ++i) good &= check(texts[i] == std::string(i, 'x'), "texts are by rank");
  good &= check_local_rank(ranks);
  good &= check_subcommunicator(ranks);
  good &= check_pairs(ranks);
  good &= check_library_all_to_all(ranks);
  good &= check_transfer(ranks);
  good &= check_halo(ranks);
  good &= check_all_to_all(ranks, nullptr);
  good &= check_hosts(ranks);
  good &= check_nearness(ranks);
  good &= check_rank_rates(ranks);
  good &= check_shared_memory(ranks);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  return check_all(ranks) ? 0 : 1;
}
