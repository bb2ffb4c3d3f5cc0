#include "core/storage/file_system.hpp"

#include <spawn.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/cpulist.hpp"
#include "core/storage/descriptor.hpp"

namespace banzuke {
namespace {

// Replaces octal escapes like \040, with which mountinfo writes space, tab, newline and backslash.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool below(const std::string& path, const std::string& mount) {
  if (mount == "/") return true;
  return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

// Returns a tool's output; none if it does not exist or failed.
std::optional<std::string> output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, reading.get());
  pid_t process = 0;
  const int failed = posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  writing.reset();
  std::string out;
  std::array<char, 4096> part{};
  for (ssize_t length = 0; (length = ::read(reading.get(), part.data(), part.size())) > 0;) {
    out.append(part.data(), static_cast<std::size_t>(length));
  }
  int status = 0;
  waitpid(process, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return out;
}

std::string word_after(const std::string& text, const std::string& title) {
  const auto at = text.find(title);
  if (at == std::string::npos) return {};
  std::istringstream rest(text.substr(at + title.size()));
  std::string word;
  rest >> word;
  return word;
}

// Converts "512K", "1M" or "1048576" to bytes; none if it is not a size.
std::optional<std::int64_t> size_of(const std::string& text) {
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str()) return std::nullopt;
  constexpr std::string_view units = "KMG";
  const auto unit = units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
  return *end == '\0' || unit == std::string_view::npos ? number : number << (10 * (unit + 1));
}

void add_size(Json::Object& out, const char* name, const std::string& text) {
  if (const auto size = size_of(text)) out.emplace_back(name, *size);
}

void add_word(Json::Object& out, const char* name, const std::string& text) {
  if (!text.empty()) out.emplace_back(name, text);
}

}  // namespace

bool FileSystem::in_memory() const { return type == "tmpfs" || type == "ramfs"; }

bool FileSystem::drops_fsync() const {
  if (type != "overlay") return false;
  const std::string all = "," + options + ",";
  return all.find(",volatile,") != std::string::npos || all.find(",fsync=volatile,") != std::string::npos;
}

FileSystem file_system(std::string_view mounts, const std::string& path) {
  // ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS [FIELDS...] - TYPE SOURCE OPTIONS; later mounts cover earlier ones.
  FileSystem out;
  std::istringstream lines{std::string(mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    std::size_t dash = 6;
    while (dash < words.size() && words[dash] != "-") ++dash;
    if (dash + 2 >= words.size()) continue;
    const std::string mount = unescaped(words[4]);
    if (below(path, mount) && mount.size() >= out.mount.size()) {
      out = {.type = words[dash + 1],
             .mount = mount,
             .source = unescaped(words[dash + 2]),
             .device = words[2],
             .options = dash + 3 < words.size() ? unescaped(words[dash + 3]) : ""};
    }
  }
  return out;
}

FileSystem file_system(const std::string& path) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts{std::istreambuf_iterator<char>(file), {}};
  std::error_code unknown;
  return file_system(mounts, std::filesystem::canonical(path, unknown).string());
}

double free_bytes(int descriptor) {
  struct statvfs status{};
  if (fstatvfs(descriptor, &status) != 0) throw_errno("find out how much is free");
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
}

std::optional<double> free_files(int descriptor) {
  struct statvfs space{};
  if (fstatvfs(descriptor, &space) != 0) throw_errno("tell how many files may be made");
  if (space.f_files == 0) return std::nullopt;
  return static_cast<double>(space.f_favail);
}

double host_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void set_striping(const FileSystem& system, const std::string& folder, Striping striping) {
  if (striping.count == 0 && striping.size == 0) return;
  std::vector<std::string> words;
  if (system.type == "lustre") {
    words = {"lfs", "setstripe"};
    if (striping.count != 0) words.insert(words.end(), {"-c", std::to_string(striping.count)});
    if (striping.size != 0) words.insert(words.end(), {"-S", std::to_string(striping.size)});
  } else if (system.type == "beegfs") {
    constexpr std::int64_t all = 65535;  // more targets than exist, so that BeeGFS takes all
    words = {"beegfs-ctl", "--setpattern"};
    if (striping.count != 0)
      words.push_back("--numtargets=" + std::to_string(striping.count < 0 ? all : striping.count));
    if (striping.size != 0) words.push_back("--chunksize=" + std::to_string(striping.size));
  } else {
    throw std::runtime_error("cannot stripe files: " + system.mount + " is " + system.type +
                             ", which has no striping; leave out stripe_count and stripe_size");
  }
  words.push_back(folder);
  std::string command;
  for (const auto& word : words) command += (command.empty() ? "" : " ") + word;
  if (!output_of(words)) throw std::runtime_error("cannot stripe files: `" + command + "` failed");
}

Json::Object striping(const FileSystem& system, const std::string& path) {
  if (system.type == "lustre") return lustre_striping(output_of({"lfs", "getstripe", path}).value_or(""));
  if (system.type == "beegfs") return beegfs_striping(output_of({"beegfs-ctl", "--getentryinfo", path}).value_or(""));
  return {};
}

Json::Object lustre_striping(const std::string& text) {
  Json::Object out;
  // `lmm_stripe_count:  4` of a file, `stripe_count:  4` of a folder.
  add_size(out, "stripe_count", word_after(text, "stripe_count:"));
  add_size(out, "stripe_size", word_after(text, "stripe_size:"));
  add_word(out, "pool", word_after(text, "pool:"));
  // A table of a file's objects: obdidx objid objid group.
  std::vector<int> targets;
  const auto table = text.find("obdidx");
  std::istringstream lines(table == std::string::npos ? "" : text.substr(table));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    int target = 0;
    if (!(fields >> target)) break;
    targets.push_back(target);
  }
  if (!targets.empty()) out.emplace_back("targets", format_list(targets));
  return out;
}

Json::Object beegfs_striping(const std::string& text) {
  Json::Object out;
  add_size(out, "stripe_size", word_after(text, "Chunksize:"));
  // `+ Number of storage targets: desired: 4; actual: 2`, the second only for a file.
  const auto targets = text.find("Number of storage targets:");
  if (targets != std::string::npos) {
    std::istringstream rest(text.substr(targets));
    std::string line;
    std::getline(rest, line);
    const std::string actual = word_after(line, "actual:");
    add_size(out, "stripe_count", actual.empty() ? word_after(line, "desired:") : actual);
  }
  add_word(out, "pool", word_after(text, "Storage Pool:"));
  add_word(out, "metadata_target", word_after(text, "Metadata node:"));
  return out;
}

}  // namespace banzuke
