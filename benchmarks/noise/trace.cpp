#include "trace.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/parameters.hpp"

namespace banzuke::noise {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "banzuke-";
// Kilobytes per second and processor that a kernel with 1,000 clock ticks per second writes, about.
constexpr double rate = 1024.0;
constexpr double least = 1024.0;
constexpr double most = 16.0 * 1024.0;

fs::path instances() {
  for (const char* where : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::error_code none;
    if (fs::is_directory(fs::path(where) / "instances", none)) return fs::path(where) / "instances";
  }
  throw UsageError(
      "trace: the kernel's trace files are not there. As root: mount -t tracefs nodev /sys/kernel/tracing (and the "
      "kernel needs CONFIG_TRACING); or leave it off with trace=off");
}

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError("trace: " + what + ": " + std::strerror(errno) + ". Tracing needs root; or leave it off: trace=off");
}

// Writes to a file; returns false if it does not exist or does not accept the text.
bool put(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

void demand(const std::string& file, const std::string& text) {
  errno = 0;
  if (!put(file, text)) refuse("cannot write '" + text + "' to " + file);
}

// Removes instances that earlier runs left behind. The kernel refuses to remove one while a file of it is open, and
// every running trace has its marker open.
void remove_stale(const fs::path& all) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(all, none)) {
    if (entry.path().filename().string().starts_with(prefix)) rmdir(entry.path().c_str());
  }
}

void enable_events(const std::string& folder) {
  const std::string events = folder + "/events/";
  for (const char* one : {"sched/sched_switch", "irq/irq_handler_entry", "irq/irq_handler_exit", "irq/softirq_entry",
                          "irq/softirq_exit"}) {
    demand(events + one + "/enable", "1");
  }
  // The processor's own interrupts: those of x86, and of other processors if the kernel reports them.
  std::error_code none;
  for (const char* group : {"irq_vectors", "ipi"}) {
    for (const auto& event : fs::directory_iterator(events + group, none)) {
      const std::string name = event.path().filename();
      if (name.ends_with("_entry") || name.ends_with("_exit")) put(event.path().string() + "/enable", "1");
    }
  }
}

// Removes the folder when the object is destroyed or the process ends, for whatever reason: a shell in a session of its
// own waits until the other end of a pipe is closed, and then until the folder's files are.
class Remover {
 public:
  explicit Remover(std::string folder) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse("cannot make a pipe");
    end_ = ends[1];
    std::string shell = "sh";
    std::string option = "-c";
    std::string script =
        R"(cat > /dev/null; for i in 1 2 3 4 5 6 7 8 9; do [ -d "$0" ] || exit; rmdir "$0" && exit; sleep 0.$i; done)";
    const std::array<char*, 5> words{shell.data(), option.data(), script.data(), folder.data(), nullptr};
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    errno = posix_spawn(&shell_, "/bin/sh", &files, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (errno == 0) return;
    close(end_);
    refuse("cannot start /bin/sh");
  }
  ~Remover() {
    close(end_);
    waitpid(shell_, nullptr, 0);
  }
  Remover(const Remover&) = delete;
  Remover& operator=(const Remover&) = delete;

 private:
  pid_t shell_ = -1;
  int end_ = -1;
};

}  // namespace

struct Trace::Instance {
  explicit Instance(const std::string& folder) : remover(folder) {
    if (mkdir(folder.c_str(), 0700) != 0) refuse("cannot make " + folder);
    marker = open((folder + "/trace_marker").c_str(), O_WRONLY | O_CLOEXEC);
    if (marker < 0) refuse("cannot open " + folder + "/trace_marker");
  }
  ~Instance() {
    if (marker >= 0) close(marker);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  Remover remover;  // destroyed last
  int marker = -1;
};

std::string mask(const std::vector<int>& cpus) {
  const int first = *std::ranges::max_element(cpus) / 32;
  std::vector<unsigned> groups(static_cast<std::size_t>(first) + 1);  // the highest processors first
  for (const int cpu : cpus)
    groups[static_cast<std::size_t>(first - cpu / 32)] |= 1U << static_cast<unsigned>(cpu % 32);
  std::string out;
  for (const unsigned group : groups) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%08x", group);
    if (!out.empty()) out += ',';
    out += text.data();
  }
  return out;
}

Trace::Trace(std::vector<int> cpus, double seconds) : cpus_(std::move(cpus)) {
  const fs::path all = instances();
  remove_stale(all);
  folder_ = all / (std::string(prefix) + std::to_string(getpid()));
  instance_ = std::make_unique<Instance>(folder_);
  demand(folder_ + "/tracing_on", "0");
  demand(folder_ + "/tracing_cpumask", mask(cpus_));
  demand(folder_ + "/trace_clock", "mono");
  put(folder_ + "/options/overwrite", "0");  // events after the buffer is full are counted and lost
  const std::string size = std::to_string(static_cast<int>(std::clamp(rate * seconds, least, most)));
  for (const int cpu : cpus_) demand(folder_ + "/per_cpu/cpu" + std::to_string(cpu) + "/buffer_size_kb", size);
  enable_events(folder_);
  demand(folder_ + "/tracing_on", "1");
}

Trace::~Trace() = default;

void Trace::mark(std::string_view what) const {
  [[maybe_unused]] const auto written =
      write(instance_->marker, what.data(), what.size());  // without the mark, nothing is blamed
}

void Trace::stop() const { put(folder_ + "/tracing_on", "0"); }

std::pair<std::vector<Blame>, std::int64_t> Trace::blame() const {
  std::vector<Blame> all;
  std::int64_t lost = 0;
  for (const int cpu : cpus_) {
    const std::string folder = folder_ + "/per_cpu/cpu" + std::to_string(cpu);
    Blamer blamer;
    std::ifstream trace(folder + "/trace");
    for (std::string line; std::getline(trace, line);) blamer.line(line);
    for (const auto& one : blamer.blame()) merge(all, one);
    lost += blamer.lost();
    std::ifstream stats(folder + "/stats");
    for (std::string line; std::getline(stats, line);) {
      for (const std::string_view what : {"overrun: ", "dropped events: "}) {
        if (line.starts_with(what)) lost += std::strtol(line.c_str() + what.size(), nullptr, 10);
      }
    }
  }
  std::ranges::sort(all, std::ranges::greater(), &Blame::seconds);
  return {all, lost};
}

}  // namespace banzuke::noise
