#include "core/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <set>

#include "core/cpulist.hpp"

namespace banzuke {
namespace {

// Threads take processors in the given order, so lists keep their order and duplicates here.
std::vector<int> parse_places(const std::string& text) {
  std::vector<int> cpus;
  for (const auto& part : split(text, ',')) {
    for (const int cpu : parse_list(part)) cpus.push_back(cpu);
  }
  if (cpus.empty()) throw UsageError("binding: '" + text + "' names no processor");
  return cpus;
}

// Returns the identities of each rank's devices. No two ranks may share a device, because each would measure only a
// part of it.
std::vector<std::vector<std::string>> parse_devices(const std::string& text) {
  std::vector<std::vector<std::string>> found;
  std::set<std::string> seen;
  for (const auto& part : split(text, '|')) {
    found.push_back(split(part, ','));
    for (const auto& identity : found.back()) {
      if (identity.empty()) throw UsageError("devices: '" + text + "' has an empty name");
      if (!seen.insert(identity).second) throw UsageError("devices: " + identity + " is listed twice");
    }
  }
  return found;
}

// Returns the number given for `ranks` or `threads`, at least 1. Throws UsageError.
int parse_number(const std::string& of, const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    throw UsageError(of + ": '" + text + "' is no number of " + of);
  }
  return number;
}

double parse_seconds(const std::string& text) {
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0.0) || seconds > 1e9) {
    throw UsageError("time-limit: '" + text + "' is no time in seconds above 0");
  }
  return seconds;
}

Pages parse_pages(const std::string& text) {
  if (text == "base") return Pages::base;
  if (text == "transparent") return Pages::transparent;
  if (text == "reserved") return Pages::reserved;
  throw UsageError("pages: '" + text + "' is none of base, transparent and reserved");
}

bool parse_shares(const std::string& text) {
  if (text != "equal" && text != "rates") throw UsageError("shares: '" + text + "' is neither equal nor rates");
  return text == "rates";
}

void help(const Program& program, const Parameters& parameters, std::ostream& out) {
  out << "usage: banzuke-" << program.benchmark << '-' << program.backend.name
      << " [--NAME VALUE]... [--binding CPUS|CPUS...] [--devices IDS|IDS...]\n"
         "       [--memory-policy POLICY] [--pages KIND] [--shares KIND] [--describe [--ranks N [--threads T]]]\n"
         "       [--trial] [--progress] [--time-limit S]\n"
      << "  --binding   processors of each rank of this program on a host, ranks separated by '|', one thread each: "
         "0,1|2,3\n"
      << "  --devices   identities of the devices of each rank, likewise: GPU-1,GPU-2|GPU-3,GPU-4\n"
      << "  --memory-policy  NUMA nodes of all memory: local, interleave[:NODES] or bind:NODES\n"
      << "  --pages     of the arrays: base, transparent (huge) or reserved (huge, from /proc/sys/vm/nr_hugepages)\n"
      << "  --shares    of a rank's threads in loops: equal, or by the rates that they have beside each other (rates)\n"
      << "  --describe  print the parameters and, of N ranks (of T threads, with these devices), the problem and its "
         "memory as JSON; run nothing\n"
      << "  --trial     start ranks on their processors, and end\n"
      << "  --progress  lines 'progress DONE TOTAL [RATE UNIT]' on the error stream\n"
      << "  --time-limit  every so many seconds each rank writes 'step RANK WHAT' to the error stream\n"
      << "Parameters: " << parameters.describe().dump() << '\n';
}

constexpr std::array<std::string_view, 4> flags{"help", "describe", "trial", "progress"};
constexpr std::array<std::string_view, 8> with_value{"binding", "devices", "memory-policy", "pages",
                                                     "shares",  "ranks",   "threads",       "time-limit"};

void refuse_names_of_options(const Parameters& parameters) {
  const auto refuse = [&](std::string_view name) {
    if (!parameters.has(std::string(name))) return;
    throw UsageError("its parameter '" + std::string(name) + "' has the name of an option of all programs: rename it");
  };
  std::ranges::for_each(flags, refuse);
  std::ranges::for_each(with_value, refuse);
}

}  // namespace

std::optional<CommandLine> parse_command_line(const Program& program, Parameters& parameters, int argc, char** argv) {
  refuse_names_of_options(parameters);
  CommandLine options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      help(program, parameters, std::cout);
      return std::nullopt;
    }
    if (!name.starts_with("--")) throw UsageError("unexpected argument '" + name + "'");
    name = name.substr(2);
    if (name == "describe") {
      options.describe = true;
    } else if (name == "trial") {
      options.trial = true;
    } else if (name == "progress") {
      options.progress = true;
    } else if (std::ranges::find(with_value, name) == with_value.end() && !parameters.has(name)) {
      throw UsageError("unknown parameter '" + name + "'");
    } else if (i + 1 == argc) {
      throw UsageError("--" + name + " needs a value");
    } else if (name == "binding") {
      for (const auto& part : split(argv[++i], '|')) options.binding.push_back(parse_places(part));
    } else if (name == "devices") {
      options.devices = parse_devices(argv[++i]);
    } else if (name == "memory-policy") {
      options.memory = parse_memory_policy(argv[++i]);
    } else if (name == "pages") {
      options.pages = parse_pages(argv[++i]);
    } else if (name == "shares") {
      options.shares_by_rates = parse_shares(argv[++i]);
    } else if (name == "ranks") {
      options.ranks = parse_number(name, argv[++i]);
    } else if (name == "threads") {
      options.threads = parse_number(name, argv[++i]);
    } else if (name == "time-limit") {
      options.time_limit = parse_seconds(argv[++i]);
    } else {
      parameters.set(name, argv[++i]);
    }
  }
  if (options.ranks && !options.describe) {
    throw UsageError("--ranks goes with --describe; how many ranks there are in a run is the launcher's choice");
  }
  if (options.threads && !options.ranks) {
    throw UsageError("--threads goes with --describe --ranks; a run has those of --binding or OMP_NUM_THREADS");
  }
  return options;
}

}  // namespace banzuke
