#include "system.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <utility>

namespace banzuke::noise {
namespace {

bool number(std::string_view word, std::int64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// Adds a count without overflow; a negative one, from a damaged line, adds nothing.
void add(std::int64_t& sum, std::int64_t count) {
  sum += std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::int64_t>::max() - sum);
}

std::istringstream stream(std::string_view text) { return std::istringstream(std::string(text)); }

// A row of a table whose first line is "CPU0 CPU1 ..." and whose others are "name: count count ... description".
struct Row {
  std::string name;
  std::string description;
  std::int64_t count = 0;  // of the wanted columns
};

std::vector<Row> rows(std::string_view text, const std::vector<int>& cpus) {
  auto in = stream(text);
  std::string line;
  std::getline(in, line);
  std::vector<bool> wanted;
  auto heads = stream(line);
  for (std::string head; heads >> head;) {
    std::int64_t cpu = -1;
    if (head.starts_with("CPU")) number(std::string_view(head).substr(3), cpu);
    wanted.push_back(std::ranges::find(cpus, cpu) != cpus.end());
  }
  std::vector<Row> out;
  while (std::getline(in, line)) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto begin = std::min(line.find_first_not_of(' '), colon);
    Row row{.name = line.substr(begin, colon - begin), .description = {}};
    auto words = stream(std::string_view(line).substr(colon + 1));
    std::size_t column = 0;
    for (std::string word; words >> word;) {
      std::int64_t count = 0;
      if (column < wanted.size() && number(word, count)) {
        if (wanted[column]) add(row.count, count);
        ++column;
      } else {
        column = wanted.size();  // rows with fewer columns than processors are counts of the whole machine
        row.description += (row.description.empty() ? "" : " ") + word;
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

// Returns the devices in a description such as "IO-APIC 4-edge ttyS0": controller, kind, and the devices that share the
// interrupt.
std::string device(const std::string& description) {
  auto words = stream(description);
  std::string kept;
  std::string word;
  bool past_kind = false;
  while (words >> word) {
    if (past_kind) kept += (kept.empty() ? "" : " ") + word;
    past_kind = past_kind || word.ends_with("-edge") || word.ends_with("-fasteoi") || word.ends_with("-level") ||
                word == "Edge" || word == "Level";
  }
  return kept.empty() ? word : kept;
}

Counts difference(const std::map<std::string, std::int64_t>& before, const std::map<std::string, std::int64_t>& after) {
  Counts out;
  for (const auto& [name, count] : after) {
    const auto found = before.find(name);
    const std::int64_t more = count - (found == before.end() ? 0 : found->second);
    if (more > 0) out.emplace_back(name, more);
  }
  return out;
}

}  // namespace

std::map<std::string, std::int64_t> interrupts(std::string_view text, const std::vector<int>& cpus) {
  std::map<std::string, std::int64_t> out;
  for (const auto& row : rows(text, cpus)) {
    std::int64_t ignored = 0;
    if (row.description.empty()) continue;  // errors of the machine, not of a processor
    add(out[number(row.name, ignored) ? device(row.description) : row.description], row.count);
  }
  return out;
}

std::map<std::string, std::int64_t> softirqs(std::string_view text, const std::vector<int>& cpus) {
  std::map<std::string, std::int64_t> out;
  for (const auto& row : rows(text, cpus)) add(out[row.name], row.count);
  return out;
}

std::int64_t stolen(std::string_view text, const std::vector<int>& cpus) {
  std::set<std::string> wanted;
  for (const int cpu : cpus) wanted.insert("cpu" + std::to_string(cpu));
  auto in = stream(text);
  std::int64_t out = 0;
  for (std::string line; std::getline(in, line);) {
    auto words = stream(line);
    std::string name;
    words >> name;
    if (!wanted.contains(name)) continue;
    std::int64_t ticks = 0;
    for (int column = 1; column <= 8 && words >> ticks; ++column) {
      if (column == 8) add(out, ticks);  // user nice system idle iowait irq softirq steal
    }
  }
  return out;
}

double run_delay(std::string_view text) {
  auto words = stream(text);
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  return words >> ran >> waited ? 1e-9 * static_cast<double>(waited) : -1.0;
}

std::string proc_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

SystemWatch::SystemWatch(std::vector<int> cpus)
    : cpus_(std::move(cpus)),
      interrupts_(interrupts(proc_file("/proc/interrupts"), cpus_)),
      softirqs_(noise::softirqs(proc_file("/proc/softirqs"), cpus_)),
      stolen_(stolen(proc_file("/proc/stat"), cpus_)) {}

Disturbances SystemWatch::since() const {
  return {.interrupts = difference(interrupts_, interrupts(proc_file("/proc/interrupts"), cpus_)),
          .softirqs = difference(softirqs_, softirqs(proc_file("/proc/softirqs"), cpus_)),
          .stolen_seconds = static_cast<double>(stolen(proc_file("/proc/stat"), cpus_) - stolen_) /
                            static_cast<double>(sysconf(_SC_CLK_TCK))};
}

bool invariant_tsc() {
#if defined(__x86_64__)
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("flags")) continue;
    return line.find(" constant_tsc") != std::string::npos && line.find(" nonstop_tsc") != std::string::npos;
  }
  return false;
#else
  return true;  // the timers of Arm, POWER and RISC-V have a constant rate by definition
#endif
}

}  // namespace banzuke::noise
