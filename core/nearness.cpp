#include "core/nearness.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <tuple>

#include "core/clock.hpp"
#include "core/cpulist.hpp"

namespace banzuke {
namespace {

// Indices of what a measuring rank reports; see conditions().
enum Told : std::size_t { seen_now, seen_before, first_processor, last_processor, told };

// Returns the outermost processors of each host, at the index of its first rank that has any; -1 for all others.
// Collective.
std::vector<double> outermost(const Communicator& ranks, const std::vector<int>& processors) {
  std::vector<double> ends(2 * static_cast<std::size_t>(ranks.size()), -1.0);
  std::map<std::string, std::size_t> measures;  // for each kernel, so that containers under one share an entry
  const auto texts = ranks.gather(Communicator::kernel() + '\n' + format_list(processors));
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const auto parts = split(texts[rank], '\n');
    if (parts.size() < 2 || parts[1].empty()) continue;
    const auto cpus = parse_list(parts[1]);
    const auto [of, is_first] = measures.try_emplace(parts[0], 2 * rank);
    double& low = ends[of->second];
    double& high = ends[of->second + 1];
    low = is_first ? cpus.front() : std::min<double>(low, cpus.front());
    high = std::max<double>(high, cpus.back());
  }
  ranks.maximum(ends);  // only rank 0 has read them
  return ends;
}

std::string topology(int cpu, const std::string& file) {
  std::string text;
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + file);
  std::getline(in, text);
  return text;
}

}  // namespace

int farthest(int cpu, const std::vector<int>& allowed) {
  const std::string package = topology(cpu, "physical_package_id");
  const std::string core = topology(cpu, "thread_siblings_list");
  const auto distance = [&](int other) {
    return std::tuple(other != cpu, topology(other, "physical_package_id") != package,
                      topology(other, "thread_siblings_list") != core, std::abs(other - cpu));
  };
  int found = cpu;
  for (auto most = distance(cpu); const int other : allowed) {
    if (const auto far = distance(other); far > most) {
      most = far;
      found = other;
    }
  }
  return found;
}

Nearness::Nearness(const Communicator& ranks, const std::vector<int>& processors, const std::vector<int>& allowed)
    : ranks_(ranks) {
  const auto ends = outermost(ranks, processors);
  const auto own = 2 * static_cast<std::size_t>(ranks.rank());
  const int first = static_cast<int>(ends[own]);
  const int last = static_cast<int>(ends[own + 1]);
  if (first < 0) return;
  last_ = last == first ? farthest(first, allowed) : last;
  if (last_ != first) first_ = first;
}

void Nearness::look() {
  using namespace std::chrono_literals;
  ranks_.barrier();
  if (first_ >= 0) {
    seen_.push_back(exchange_latency(first_, last_));
  } else if (ranks_.size() > 1) {
    std::this_thread::sleep_for(5ms);  // waiting in MPI would take processor time from the measuring ranks
  }
}

Json::Object Nearness::conditions() const {
  std::vector<double> all(told * static_cast<std::size_t>(ranks_.size()));
  if (!seen_.empty()) {
    const std::array<double, told> own{seen_.back(), seen_.front(), 0.0 + first_, 0.0 + last_};
    std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(told) * ranks_.rank());
  }
  ranks_.maximum(all);
  const auto hosts = ranks_.gather(Communicator::host());
  std::size_t known = 0;
  std::size_t worst = 0;
  std::size_t best = 0;
  // If another process used one of the processors, the time says nothing about distance.
  const auto rated = [&](std::size_t rank) {
    const double seconds = all[told * rank + seen_now];
    return std::tuple(seconds > 0.0, seconds < longest_exchange, seconds);
  };
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    known += all[told * rank + seen_now] > 0.0 ? 1 : 0;
    if (rated(rank) > rated(worst)) worst = rank;
    const double seconds = all[told * rank + seen_now];
    const double least = all[told * best + seen_now];
    if (seconds > 0.0 && (least <= 0.0 || seconds < least)) best = rank;
  }
  if (known == 0) return {};
  const auto of = [&](Told what) { return all[told * worst + what]; };
  const auto processor = [&](Told what) { return std::to_string(static_cast<int>(of(what))); };
  Json::Object out{{"exchange_latency", of(seen_now)},
                   {"exchange_processors", processor(first_processor) + "," + processor(last_processor)}};
  if (of(seen_before) > 0.0) out.emplace_back("exchange_latency_before", of(seen_before));
  if (known > 1) {
    out.emplace_back("exchange_host", hosts[worst]);
    out.emplace_back("exchange_host_nearest", hosts[best]);
    out.emplace_back("exchange_latency_nearest", all[told * best + seen_now]);
  }
  return out;
}

}  // namespace banzuke
