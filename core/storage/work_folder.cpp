#include "core/storage/work_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include "core/agreement.hpp"

namespace banzuke {
namespace {

constexpr std::string_view folder_prefix = ".banzuke-";
constexpr const char* mark_name = "mark";
constexpr const char* mark_title = "work folder of Banzuke";
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Returns field 22 of /proc/PID/stat, or -1 if there is no such process. The name in field 2 may contain anything.
std::int64_t process_began(const std::string& process) {
  const std::string line = line_of("/proc/" + process + "/stat");
  const auto after_name = line.rfind(')');
  if (after_name == std::string::npos) return -1;
  std::istringstream fields(line.substr(after_name + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::int64_t began = -1;
  fields >> began;
  return fields ? began : -1;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Directory directory_of(Descriptor& descriptor) {
  Directory out(fdopendir(descriptor.get()));
  if (out) descriptor.release();
  return out;
}

bool same_device(int one, int other) {
  struct stat first{};
  struct stat second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev;
}

// A removal. It reports the first item that cannot be removed, and still removes all others.
struct Removal {
  std::string left;

  void leave(const std::string& name, const std::string& why) {
    if (left.empty()) left = name + ": " + why;
  }

  // Removes everything with our prefix in `folder` and its subfolders. A directory that is changed while being listed
  // may be listed incompletely, so this repeats until nothing more is found.
  void empty(Descriptor folder, const std::string& where, bool top) {
    const Directory entries = directory_of(folder);
    if (!entries) return leave(where, std::strerror(errno));
    const int at = dirfd(entries.get());
    for (bool removed = true; removed;) {
      removed = false;
      rewinddir(entries.get());
      while (const dirent* entry = readdir(entries.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == ".." || (top && name == mark_name)) continue;
        removed = remove(at, name, where + "/" + name) || removed;
      }
    }
  }

 private:
  bool remove(int folder, const std::string& name, const std::string& where) {
    struct stat status{};
    if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;  // it is gone
    const bool directory = S_ISDIR(status.st_mode);
    if (!name.starts_with(made_prefix) || (!directory && !S_ISREG(status.st_mode))) {
      leave(where, "not made by this program");
      return false;
    }
    if (directory) {
      Descriptor inner(openat(folder, name.c_str(), directory_flags));
      if (!inner) {
        leave(where, std::strerror(errno));
        return false;
      }
      if (!same_device(folder, inner.get())) {
        leave(where, "something is mounted there");
        return false;
      }
      empty(std::move(inner), where, false);
    }
    if (unlinkat(folder, name.c_str(), directory ? AT_REMOVEDIR : 0) == 0) return true;
    if (errno != ENOENT) leave(where, std::strerror(errno));
    return false;
  }
};

std::string read_mark(int folder) {
  const Descriptor file(openat(folder, mark_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::array<char, 4096> text{};
  const auto length = pread(file.get(), text.data(), text.size(), 0);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

void write_mark(int folder, const Mark& mark) {
  Descriptor file(openat(folder, mark_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) throw_errno("write the mark of the work folder");
  const std::string text = mark.text();
  const auto written = write(file.get(), text.data(), text.size());
  if (!std::cmp_equal(written, text.size()) || file.reset() != 0) {
    throw_errno("write the mark of the work folder", written < 0 ? errno : ENOSPC);
  }
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) throw_errno("draw a random number");
  return number;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

bool unchanged_for_long(const struct stat& status) {
  constexpr std::time_t long_seconds = 60;
  return status.st_mtime + long_seconds < std::time(nullptr);
}

}  // namespace

Mark Mark::of_this_process(std::string program) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::error_code unknown;
  return {.program = std::move(program),
          .host = host.data(),
          .machine = line_of("/etc/machine-id"),
          .boot = line_of("/proc/sys/kernel/random/boot_id"),
          .pid_namespace = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string(),
          .process = getpid(),
          .began = process_began("self")};
}

std::string Mark::text() const {
  std::ostringstream out;
  out << mark_title << "\nprogram " << program << "\nhost " << host << "\nmachine " << machine << "\nboot " << boot
      << "\nnamespace " << pid_namespace << "\nprocess " << process << "\nbegan " << began << '\n';
  return out.str();
}

std::optional<Mark> Mark::read(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != mark_title) return std::nullopt;
  Mark mark;
  const auto word = [&](const std::string& name, std::string& value) {
    if (!std::getline(lines, line) || !line.starts_with(name + " ")) return false;
    value = line.substr(name.size() + 1);
    return true;
  };
  const auto number = [&](const std::string& name, std::int64_t& value) {
    std::string digits;
    if (!word(name, digits)) return false;
    std::istringstream stream(digits);
    return static_cast<bool>(stream >> value);
  };
  const bool whole = word("program", mark.program) && word("host", mark.host) && word("machine", mark.machine) &&
                     word("boot", mark.boot) && word("namespace", mark.pid_namespace) &&
                     number("process", mark.process) && number("began", mark.began);
  return whole ? std::optional(mark) : std::nullopt;
}

std::string still_owned(const Mark& mark, const Mark& here) {
  const std::string where = "made on host " + mark.host + " by process " + std::to_string(mark.process);
  if (mark.host != here.host || mark.machine != here.machine) return where + ", which cannot be seen from here";
  if (mark.boot != here.boot) return {};
  if (mark.pid_namespace != here.pid_namespace) return where + " of another container, which cannot be seen from here";
  return process_began(std::to_string(mark.process)) == mark.began ? where + ", which is running" : "";
}

std::string remove_work_folder(int folder, const std::string& name) {
  // On NFS, files that another host still has open remain briefly, under other names.
  for (int attempt = 0;; ++attempt) {
    Removal removal;
    Descriptor inside(openat(folder, name.c_str(), directory_flags));
    if (!inside) return errno == ENOENT ? std::string() : name + ": " + std::strerror(errno);
    const Descriptor kept(dup(inside.get()));
    removal.empty(std::move(inside), name, true);
    // The mark is removed last, so that what an interrupted removal leaves is still recognised as ours.
    if (removal.left.empty()) {
      unlinkat(kept.get(), mark_name, 0);
      if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
      removal.leave(name, std::strerror(errno));
    }
    if (attempt == 10) return removal.left;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

WorkFolder::Made::~Made() {
  if (!name_.empty()) remove_work_folder(folder_, name_);
}

void WorkFolder::Made::remove() {
  const std::string left = remove_work_folder(folder_, std::exchange(name_, {}));
  if (!left.empty()) throw std::runtime_error("cannot remove the work folder: " + left);
}

bool WorkFolder::make(const std::string& name, const Mark& mark) {
  if (mkdirat(folder_.get(), name.c_str(), 0700) != 0) {
    if (errno == EEXIST) return false;
    throw_errno("make a folder in " + path_ + " on host " + mark.host);
  }
  made_.emplace(folder_.get(), name);
  const Descriptor inside(openat(folder_.get(), name.c_str(), directory_flags));
  if (!inside) throw_errno("open the work folder " + path_ + "/" + name);
  write_mark(inside.get(), mark);
  return true;
}

std::vector<std::string> clear_work_folders(int folder) {
  std::vector<std::string> left;
  Descriptor list(openat(folder, ".", directory_flags));
  const Directory entries = directory_of(list);
  if (!entries) return left;  // a folder that is writable but not listable
  const Mark here = Mark::of_this_process({});
  std::vector<std::string> names;
  while (const dirent* entry = readdir(entries.get())) {
    if (std::string_view(entry->d_name).starts_with(folder_prefix)) names.emplace_back(entry->d_name);
  }
  for (const auto& name : names) {
    const Descriptor inside(openat(folder, name.c_str(), directory_flags));
    struct stat status{};
    if (!inside || fstat(inside.get(), &status) != 0) continue;
    const auto mark = Mark::read(read_mark(inside.get()));
    std::string why = mark ? still_owned(*mark, here) : "has no mark of Banzuke";
    if (status.st_uid != geteuid()) {
      why = "belongs to another user";
    } else if (!mark && unchanged_for_long(status)) {
      // Its program ended before it could write the mark; this fails if the folder is not empty.
      if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0) continue;
    }
    if (why.empty()) why = remove_work_folder(folder, name);
    if (!why.empty()) left.push_back(name + ": " + why);
  }
  return left;
}

WorkFolder::WorkFolder(const std::string& folder, const std::string& name, const Communicator& ranks) : path_(folder) {
  const bool first = ranks.rank() == 0;
  const std::string own =
      std::string(folder_prefix) + name + "-" + hexadecimal(of_first_rank(ranks, first ? random_number() : 0));
  const Mark mark = Mark::of_this_process("banzuke-" + name);
  together(ranks, [&] {
    folder_ = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) throw_errno("open the folder " + folder + " on host " + mark.host);
    path_ = std::filesystem::canonical(folder).string();
    if (!first) return;
    left_ = clear_work_folders(folder_.get());
    if (!make(own, mark)) throw std::runtime_error(path_ + "/" + own + " exists already");
  });
  // If the first rank of another host can create it too, the file system is local to that host.
  together(ranks, [&] {
    if (!first && ranks.local_rank() == 0 && make(own, mark)) clear_work_folders(folder_.get());
  });
  common_ = ranks.maximum(!first && made_ ? 1.0 : 0.0) == 0.0;
  together(ranks, [&] {
    inside_ = Descriptor(openat(folder_.get(), own.c_str(), directory_flags));
    if (!inside_) throw_errno("see on host " + mark.host + " the work folder " + own + " that was made in " + path_);
  });
  path_ += "/" + own;
}

void WorkFolder::remove(const Communicator& ranks) {
  inside_.reset();
  ranks.barrier();
  together(ranks, [&] {
    if (made_) made_->remove();
  });
}

}  // namespace banzuke
