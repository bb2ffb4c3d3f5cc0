// The command line of a program: its own parameters, and the options that all programs have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/memory.hpp"

namespace banzuke {

struct CommandLine {
  bool describe = false;
  bool trial = false;          // starts like a run, but measures nothing
  std::optional<int> ranks;    // number of ranks for which the problem is described; a run counts its own
  std::optional<int> threads;  // of each rank
  bool progress = false;
  std::vector<std::vector<int>> binding;          // for each local rank
  std::vector<std::vector<std::string>> devices;  // for each local rank
  std::optional<MemoryPolicy> memory;
  std::optional<Pages> pages;
  bool shares_by_rates = false;
  std::optional<double> time_limit;  // seconds
};

// Sets the parameters that are given. Returns nothing when help was printed. Throws UsageError.
std::optional<CommandLine> parse_command_line(const Program& program, Parameters& parameters, int argc, char** argv);

}  // namespace banzuke
