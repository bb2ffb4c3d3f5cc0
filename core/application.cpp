#include "core/application.hpp"

#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <sstream>

#include "core/agreement.hpp"
#include "core/binding.hpp"
#include "core/clock.hpp"
#include "core/command_line.hpp"
#include "core/cpulist.hpp"
#include "core/devices.hpp"
#include "core/host_clocks.hpp"
#include "core/last_step.hpp"
#include "core/loaded.hpp"
#include "core/nearness.hpp"
#include "core/thread_rates.hpp"
#include "generated/build.hpp"

namespace banzuke {
namespace {

std::string timestamp() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(milliseconds % 1000));
  return text.data();
}

// Writes the whole line at once: ranks share standard error, and their output must not interleave.
void tell(const std::string& line) { std::cerr << line + "\n" << std::flush; }

// Prints each rank's process, so that the death of one can be attributed to its rank: `processes {"HOST":
// "RANK:PID,..."}`.
void tell_processes(const Communicator& ranks) {
  const auto pids = ranks.gather(std::to_string(getpid()));
  const auto hosts = ranks.gather(Communicator::host());
  if (ranks.rank() != 0) return;
  std::map<std::string, std::string> by_host;
  for (std::size_t rank = 0; rank < pids.size(); ++rank) {
    auto& list = by_host[hosts[rank]];
    if (!list.empty()) list += ',';
    list.append(std::to_string(rank)).append(":").append(pids[rank]);
  }
  Json out = Json::object();
  for (const auto& [host, list] : by_host) out.set(host, list);
  tell("processes " + out.dump());
}

std::string joined_binding() {
  std::string out;
  for (const auto& thread : read_binding()) {
    if (!thread.empty()) out += (out.empty() ? "" : "|") + thread;  // empty: OMP_THREAD_LIMIT did not allow it
  }
  return out;
}

std::string joined_devices() {
  std::string out;
  for (const auto& device : used_devices()) out += (out.empty() ? "" : "|") + device;
  return out;
}

// `cuda+blas`: the backends of all programs of the job, in the order of their ranks.
std::string joined_backends(const std::string& benchmark, const std::vector<Member>& members) {
  std::vector<std::string> backends;
  for (const auto& member : members) {
    const std::string backend = member.program.substr(benchmark.size() + 1);
    if (std::ranges::find(backends, backend) == backends.end()) backends.push_back(backend);
  }
  std::string out;
  for (const auto& backend : backends) out += (out.empty() ? "" : "+") + backend;
  return out;
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// `banzuke isolate --lock-memory` requests this by a variable, because locks do not survive exec.
void lock_memory() {
  const char* asked = std::getenv("BANZUKE_LOCK_MEMORY");
  if (asked == nullptr || *asked == '\0' || mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0) return;
  throw std::runtime_error(std::string("BANZUKE_LOCK_MEMORY is set, but the memory cannot be locked: ") +
                           std::strerror(errno) + "; allow it with `ulimit -l unlimited`");
}

// True if the benchmark reports its steps itself; otherwise its progress is used as a step.
bool steps_told = false;

struct Measured {
  Result result;
  double clock = 0.0;  // Hz, just after the program
  std::string failure;
  bool common = false;       // every rank failed this way, so collective calls still work
  bool unsupported = false;  // unsupported by this system, not a failure
};

Measured measure(const Program& program, const Problem& problem, const Context& context) {
  Measured out;
  try {
    out.result = program.run(context);
  } catch (const UsageError&) {
    throw;  // a usage error, not a failed measurement
  } catch (const Unsupported& error) {
    out.failure = error.what();
    out.common = out.unsupported = true;
  } catch (const CommonFailure& error) {
    out.failure = error.what();
    out.common = true;
  } catch (const std::bad_alloc&) {
    out.failure = "out of memory: this rank asked for " + std::to_string(std::llround(problem.footprint)) + " bytes";
  } catch (const PoolExhausted& error) {
    out.failure = std::string(error.what()) + "; all of this rank's data takes about " +
                  std::to_string(reserved_pages(problem.footprint));
  } catch (const std::exception& error) {
    out.failure = error.what();
  }
  auto& software = out.result.software;
  const bool told = std::ranges::any_of(software, [](const auto& entry) { return entry.first == "library_path"; });
  if (const std::string path = named_library(); !told && !path.empty()) software.emplace_back("library_path", path);
  out.clock = core_hz();
  auto& conditions = out.result.conditions;
  conditions.insert(conditions.end(), problem.facts.begin(), problem.facts.end());
  conditions.emplace_back("footprint", problem.footprint);
  if (problem.device_footprint > 0.0) conditions.emplace_back("device_footprint", problem.device_footprint);
  return out;
}

// Returns the processors on which the program computes; none for a device program, for which their distance does not
// matter.
std::vector<int> computing_processors(const Program& program, const std::vector<std::vector<int>>& places) {
  std::vector<int> all;
  if (!program.backend.devices.empty()) return all;
  for (const auto& thread : places) all.insert(all.end(), thread.begin(), thread.end());
  return all;
}

// Returns this rank's place among the `given` of an option. Hosts under one kernel, e.g. containers, get separate
// processors and devices if there are enough. Throws UsageError.
std::size_t place_among(std::size_t given, const std::string& option, const Communicator& ranks) {
  const auto under_kernel = static_cast<std::size_t>(ranks.local_rank_in_group());
  const auto on_host = static_cast<std::size_t>(ranks.host_rank_in_group());
  const std::size_t local = under_kernel < given ? under_kernel : on_host;
  if (local >= given) {
    throw UsageError(option + ": names " + std::to_string(given) + " ranks a host, but rank " +
                     std::to_string(ranks.rank()) + " is number " + std::to_string(local) +
                     " of this program on its host");
  }
  return local;
}

// Returns what each rank ran with, in order.
std::vector<Member> gather_members(const Program& program, const std::string& binding, const Communicator& ranks) {
  const Member self{.program = program.benchmark + "-" + program.backend.name,
                    .group = std::to_string(ranks.group()),
                    .host = Communicator::host(),
                    .binding = binding,
                    .memory = memory_policy(),
                    .pages = std::string(page_kind()),
                    .devices = joined_devices(),
                    .compiler = build::compiler,
                    .flags = build::flags,
                    .mpi = Communicator::library()};
  std::vector<Member> members;
  for (const auto& text : ranks.gather(self.text())) members.push_back(Member::read(text));
  return members;
}

// Returns why the figures do not count; empty: they do.
std::string failure_of(const Measured& measured) {
  if (!measured.failure.empty()) return measured.failure;
  const auto& checks = measured.result.verification;
  const auto failed = std::ranges::find_if(checks, [](const auto& check) { return !check.passed(); });
  if (failed != checks.end()) return "verification failed: " + failed->text();
  return checks.empty() ? "the program checked nothing" : "";
}

// Returns, on rank 0, the first rank whose threads may now run elsewhere than bound, and where; empty: none may.
std::string first_moved(const std::string& binding, const Communicator& ranks) {
  const std::string bound_now = joined_binding();
  std::string own =
      bound_now == binding ? "" : "was moved while it ran: from processors " + binding + " to " + bound_now;
  if (ranks.size() == 1) return own;
  const std::vector<std::string> all = ranks.gather(own);
  const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  return first == all.end() ? "" : "rank " + std::to_string(first - all.begin()) + ": " + *first;
}

int run_ranks(const Program& program, const Parameters& parameters, const CommandLine& options,
              const Communicator& ranks) {
  if (options.time_limit) tell_step_every(*options.time_limit, ranks.rank());
  lock_memory();
  const std::vector<int> allowed = allowed_cpus();
  if (!options.binding.empty()) bind_threads(options.binding[place_among(options.binding.size(), "binding", ranks)]);
  if (options.trial) return 0;
  const auto& devices = options.devices;
  give_devices({.identities = devices.empty() ? std::vector<std::string>{}
                                              : devices[place_among(devices.size(), "devices", ranks)],
                .local_rank = ranks.local_rank_in_group()});
  const std::string binding = joined_binding();
  if (ranks.size() > 1) tell_processes(ranks);
  std::vector<std::vector<int>> places;
  for (const auto& thread : split(binding, '|')) places.push_back(parse_list(thread));
  // Fixes the team to the one read back, whatever limits or dynamic adjustment would allow.
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(places.size()));

  RecordHeader header{.benchmark = program.benchmark,
                      .backend = {},
                      .parameters = parameters.values(),
                      .started = timestamp(),
                      .ended = {},
                      .members = {},
                      .unsupported = false};
  const Problem problem = program.problem(ranks.size());  // the record keeps the parameters as requested
  if (options.shares_by_rates) share_by_rates();
  Nearness nearness(ranks, computing_processors(program, places), allowed);
  nearness.look();
  Measured measured =
      measure(program, problem,
              Context{.ranks = ranks, .places = places, .show_progress = options.progress && ranks.rank() == 0});
  header.ended = std::max(header.started, timestamp());  // clocks may be set back
  header.unsupported = measured.unsupported;
  // A rank that failed alone cannot take part in collective calls any more: it says why and aborts all ranks.
  if (!measured.failure.empty() && !measured.common && ranks.size() > 1) {
    tell("rank " + std::to_string(ranks.rank()) + ": " + measured.failure);
    ranks.abort(1);
  }
  const std::string moved = first_moved(binding, ranks);
  if (measured.failure.empty()) measured.failure = moved;
  nearness.look();
  std::vector<double> clocks(static_cast<std::size_t>(ranks.size()));
  clocks[static_cast<std::size_t>(ranks.rank())] = measured.clock;
  ranks.maximum(clocks);
  header.members = gather_members(program, binding, ranks);
  header.backend = joined_backends(program.benchmark, header.members);
  auto& conditions = measured.result.conditions;
  for (const auto& more : {clock_conditions(header.members, clocks), nearness.conditions(), thread_rate_conditions()}) {
    conditions.insert(conditions.end(), more.begin(), more.end());
  }
  if (ranks.rank() != 0) return 0;

  const std::string failure = failure_of(measured);
  std::cout << make_record(header, measured.result, failure).dump() << '\n' << std::flush;
  return failure.empty() ? 0 : 1;
}

Json describe(const Program& program, const Parameters& parameters, std::optional<int> ranks) {
  Json problem;
  if (ranks) {
    const Problem of_ranks = program.problem(*ranks);
    problem = Json::object({{"footprint", of_ranks.footprint}, {"facts", of_ranks.facts}});
    if (of_ranks.device_footprint > 0.0) problem.set("device_footprint", of_ranks.device_footprint);
  }
  return Json::object({{"benchmark", program.benchmark},
                       {"backend", program.backend.name},
                       {"devices", program.backend.devices},
                       {"schema_version", build::schema_version},
                       {"parameters", parameters.describe()},
                       {"problem", problem},
                       {"compiler", build::compiler},
                       {"flags", build::flags},
                       {"mpi", Communicator::library_file()},
                       {"mpi_name", std::string(Communicator::implementation())}});
}

Json refusal(const UsageError& error) {
  Json::Array nearest;
  for (const auto& choice : error.nearest()) nearest.emplace_back(choice);
  return Json::object(
      {{"refused",
        Json::object(
            {{"why", error.what()}, {"remedy", error.remedy()}, {"nearest", nearest}, {"without", error.without()}})}});
}

}  // namespace

std::vector<Verification> largest_of_ranks(const std::vector<Verification>& own, const Communicator& ranks) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  std::vector<Verification> all(static_cast<std::size_t>(ranks.maximum(static_cast<double>(own.size()))));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Verification check =
        i < own.size() ? own[i] : Verification{.quantity = "", .value = lowest, .tolerance = lowest};
    for (const std::string& name : ranks.gather(check.quantity)) all[i].quantity = std::max(all[i].quantity, name);
    all[i].value = ranks.maximum(check.value);
    all[i].tolerance = ranks.maximum(check.tolerance);
  }
  return all;
}

Watch::Watch() : switches_(involuntary_switches()), start_(now()), begin_(wall_time()) {}

Json::Object Watch::conditions() const {
  TimedParts parts = parts_;
  if (parts.empty()) parts.add(begin_, wall_time());
  return {{"involuntary_switches", static_cast<std::int64_t>(involuntary_switches() - switches_)},
          {"timed_seconds", now() - start_},
          {"timed_parts", parts.json()}};
}

void Context::progress(std::int64_t done, std::int64_t total) const { progress(done, total, std::nan(""), ""); }

void Context::progress(std::int64_t done, std::int64_t total, double rate, const std::string& unit) const {
  if (!steps_told) set_step(std::to_string(done) + " of " + std::to_string(total) + " steps done");
  if (!show_progress) return;
  std::ostringstream line;
  line << "progress " << done << ' ' << total;
  if (std::isfinite(rate)) line << ' ' << rate << ' ' << unit;
  tell(line.str());
}

void Context::step(std::string_view text) {
  steps_told = true;
  set_step(text);
}

int run_program(const Program& program, int argc, char** argv) {
  Parameters parameters;
  program.declare(parameters);
  const auto refuse = [&](const std::exception& error, const std::string& remedy) {
    tell("banzuke-" + program.benchmark + "-" + program.backend.name + ": " + error.what() +
         (remedy.empty() ? "" : ". " + remedy));
  };
  try {
    const auto options = parse_command_line(program, parameters, argc, argv);
    if (!options) return 0;
    program.settle(parameters);
    if (options->describe) {
      if (!options->devices.empty()) give_devices({.identities = options->devices.front()});
      if (options->threads) omp_set_num_threads(*options->threads);  // problem() reads it, as in a run
      std::cout << describe(program, parameters, options->ranks).dump() << '\n';
      return 0;
    }
    // Before MPI_Init, which allocates memory and may start threads.
    if (options->memory) set_memory_policy(*options->memory);
    if (options->pages) use_pages(*options->pages);
    const Communicator ranks(argc, argv);
    try {
      return run_ranks(program, parameters, *options, ranks);
    } catch (const UsageError& error) {
      refuse(error, error.remedy());
    } catch (const std::exception& error) {
      refuse(error, "");
    }
    if (ranks.size() > 1) ranks.abort(2);
  } catch (const UsageError& error) {
    refuse(error, error.remedy());
    if (std::find(argv, argv + argc, std::string_view("--describe")) != argv + argc) {
      std::cout << refusal(error).dump() << '\n';
    }
  }
  return 2;
}

}  // namespace banzuke
