// banzuke-probe: reports what the machine's description needs and no file contains, the node's own description, its
// accelerators and sensors, and removes what killed programs left in a folder. Prints one JSON object on stdout;
// `power` and `watch` print many lines.

#include <fcntl.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"
#include "core/storage/descriptor.hpp"
#include "core/storage/work_folder.hpp"
#include "devices.hpp"
#include "dgemm.hpp"
#include "frequency.hpp"
#include "power.hpp"
#include "survey.hpp"
#include "watch.hpp"

namespace banzuke {
namespace {

constexpr const char* kUsage =
    "usage: banzuke-probe clock --cpus LIST [--alone LIST]\n"
    "       banzuke-probe blas --library PATH --cpus LIST [--n ORDER]\n"
    "       banzuke-probe update --library PATH --cpus LIST [--n ORDER]\n"
    "       banzuke-probe clear --folder PATH\n"
    "       banzuke-probe devices [--root FOLDER]\n"
    "       banzuke-probe survey [--root FOLDER]\n"
    "       banzuke-probe power --interval SECONDS [--root FOLDER]\n"
    "       banzuke-probe watch --interval SECONDS [--root FOLDER]\n";

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

double interval(const std::string& text) {
  constexpr double least = 1e-3;
  constexpr double most = 3600.0;
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(seconds) || seconds < least ||
      seconds > most) {
    throw UsageError("interval: '" + text + "' is no time from 0.001 to 3600 seconds");
  }
  return seconds;
}

std::string required(std::map<std::string, std::string>& given, const std::string& name) {
  const auto entry = given.extract(name);
  if (!entry) throw UsageError("option --" + name + " is missing");
  return entry.mapped();
}

void no_more(const std::map<std::string, std::string>& given) {
  if (!given.empty()) throw UsageError("unknown option --" + given.begin()->first);
}

// Carries out the command; returns what it reports, or none if it has written its lines itself.
std::optional<Json> run(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "clock") {
    auto given = options(argc, argv);
    const auto cpus = parse_list(required(given, "cpus"));
    const auto alone = given.contains("alone") ? parse_list(required(given, "alone")) : std::vector{cpus.front()};
    no_more(given);
    return to_json(measure_clock(cpus, alone));
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
  if (command == "clear") {
    auto given = options(argc, argv);
    const std::string path = required(given, "folder");
    no_more(given);
    const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) throw_errno("open the folder " + path);
    return Json::object({{"left", Json::array(clear_work_folders(folder.get()))}});
  }
  if (command == "devices" || command == "survey" || command == "power" || command == "watch") {
    auto given = options(argc, argv);
    given.try_emplace("root", "/");
    const auto root = required(given, "root");
    if (command == "devices" || command == "survey") {
      no_more(given);
      return command == "devices" ? devices(root) : survey(root);
    }
    const double seconds = interval(required(given, "interval"));
    no_more(given);
    if (command == "power") tell_power(find_sensors(root), seconds);
    if (command == "watch") watch_devices(root, seconds);
    return std::nullopt;
  }
  throw UsageError(command.empty() ? "no command given" : "unknown command '" + command + "'");
}

}  // namespace
}  // namespace banzuke

int main(int argc, char** argv) {
  try {
    if (const auto answer = banzuke::run(argc, argv)) std::cout << answer->dump() << '\n';
    return EXIT_SUCCESS;
  } catch (const banzuke::UsageError& error) {
    std::cerr << "banzuke-probe: " << error.what() << "\n" << banzuke::kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "banzuke-probe: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
