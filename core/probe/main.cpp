// banzuke-probe: what the machine's description needs and no file tells. One JSON object on stdout.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"
#include "dgemm.hpp"
#include "frequency.hpp"

namespace banzuke {
namespace {

constexpr const char* kUsage =
    "usage: banzuke-probe clock --cpus LIST\n"
    "       banzuke-probe blas --library PATH --cpus LIST [--n ORDER]\n"
    "       banzuke-probe update --library PATH --cpus LIST [--n ORDER]\n";

std::map<std::string, std::string> options(int argc, char** argv) {
  std::map<std::string, std::string> found;
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) throw UsageError("unexpected argument '" + name + "'");
    if (i + 1 == argc) throw UsageError("option " + name + " needs a value");
    found[name.substr(2)] = argv[i + 1];
  }
  return found;
}

int positive(const std::string& text) {
  std::size_t used = 0;
  int value = 0;
  try {
    value = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || value < 1) {
    throw UsageError("'" + text + "' is not a whole number above zero");
  }
  return value;
}

std::string required(std::map<std::string, std::string>& given, const std::string& name) {
  const auto entry = given.extract(name);
  if (!entry) throw UsageError("option --" + name + " is missing");
  return entry.mapped();
}

void no_more(const std::map<std::string, std::string>& given) {
  if (!given.empty()) throw UsageError("unknown option --" + given.begin()->first);
}

Json run(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "clock") {
    auto given = options(argc, argv);
    const auto cpus = parse_list(required(given, "cpus"));
    no_more(given);
    return to_json(measure_clock(cpus));
  }
  if (command == "blas" || command == "update") {
    auto given = options(argc, argv);
    given.try_emplace("n", "2000");
    const auto library = required(given, "library");
    const auto cpus = parse_list(required(given, "cpus"));
    const int n = positive(required(given, "n"));
    no_more(given);
    return command == "blas" ? measure_dgemm(library, cpus, n) : measure_update(library, cpus, n);
  }
  throw UsageError(command.empty() ? "no command given" : "unknown command '" + command + "'");
}

}  // namespace
}  // namespace banzuke

int main(int argc, char** argv) {
  try {
    std::cout << banzuke::run(argc, argv).dump() << '\n';
    return EXIT_SUCCESS;
  } catch (const banzuke::UsageError& error) {
    std::cerr << "banzuke-probe: " << error.what() << "\n" << banzuke::kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "banzuke-probe: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
