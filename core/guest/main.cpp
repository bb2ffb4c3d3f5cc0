// banzuke-guest-init: the init process of a guest that banzuke.environment.guest boots. It makes the root filesystem,
// runs one command there as the caller, and sends its output and exit status through a virtio port.
//
// Frames on the port: kind, length (4 bytes, little endian), bytes. Kinds: b the command starts; o, e its standard
// output and error; x its end, `exit N` or `signal N`; p the reason why it could not start.

#include <fcntl.h>
#include <grp.h>
#include <linux/if.h>
#include <linux/reboot.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace banzuke::guest {
namespace {

using Fields = std::map<std::string, std::vector<std::string>>;

constexpr int kTenth = 100'000;  // microseconds
constexpr int kPatience = 200;   // tenths of a second to wait for the file of a device known to the kernel
constexpr const char* kRoot = "/root";

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// Reads the settings from the launching side: NAME\0VALUE\0 ..., where names may repeat.
Fields settings() {
  std::ifstream file("/settings", std::ios::binary);
  Fields found;
  for (std::string name, value; std::getline(file, name, '\0') && std::getline(file, value, '\0');) {
    found[name].push_back(value);
  }
  return found;
}

std::string one(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second.front();
}

std::vector<std::string> all(const Fields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::vector<std::string>{} : found->second;
}

void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0755);
  }
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) fail("cannot make the folder " + path);
}

void mount_at(const std::string& folder, const std::string& kind, const std::string& source = "none",
              const std::string& options = "", unsigned long flags = 0) {
  make_folder(folder);
  if (mount(source.c_str(), folder.c_str(), kind.c_str(), flags, options.c_str()) != 0) {
    fail("cannot mount " + source + " (" + kind + ") at " + folder);
  }
}

class Port {
 public:
  void open() {
    for (int tenth = 0; fd_ < 0 && tenth < kPatience; ++tenth) {
      fd_ = ::open("/dev/vport0p1", O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) usleep(kTenth / 10);
    }
    if (fd_ < 0) fail("cannot open the virtio port");
  }

  bool opened() const { return fd_ >= 0; }

  void tell(char kind, const char* bytes, std::size_t size) const {
    std::string frame(1, kind);
    for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(size >> shift & 0xff);
    frame.append(bytes, size);
    for (std::size_t done = 0; done < frame.size();) {
      const ssize_t written = write(fd_, frame.data() + done, frame.size() - done);
      if (written < 0 && errno != EINTR) return;  // the launching side is gone
      if (written > 0) done += static_cast<std::size_t>(written);
    }
  }
  void tell(char kind, const std::string& text) const { tell(kind, text.data(), text.size()); }

 private:
  int fd_ = -1;
};

void load_modules(const Fields& fields) {
  for (const std::string& name : all(fields, "module")) {
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || (syscall(SYS_finit_module, file, "", 0) != 0 && errno != EEXIST)) {
      fail("cannot load the kernel's module " + name);
    }
    close(file);
  }
}

// Mounts the disk, or its first partition that holds a root, at /disk. Kinds: FILESYSTEM OPTION.
void mount_disk(const std::vector<std::string>& kinds) {
  struct stat there = {};
  for (int tenth = 0; stat("/dev/vda", &there) != 0 && tenth < kPatience; ++tenth) usleep(kTenth);
  make_folder("/disk");
  std::string problem = "cannot find a root filesystem on the disk image";
  for (int partition = 0; partition < 16; ++partition) {
    const std::string device = "/dev/vda" + (partition == 0 ? "" : std::to_string(partition));
    if (stat(device.c_str(), &there) != 0) continue;
    for (const std::string& kind : kinds) {
      const std::size_t space = kind.find(' ');
      const std::string name = kind.substr(0, space);
      if (mount(device.c_str(), "/disk", name.c_str(), MS_RDONLY, kind.substr(space + 1).c_str()) != 0) {
        // EINVAL: the disk has another filesystem; ENODEV: the kernel does not know this one.
        if (errno != EINVAL && errno != ENODEV) problem += "; " + name + ": " + std::strerror(errno);
        continue;
      }
      if (stat("/disk/bin", &there) == 0 || stat("/disk/usr", &there) == 0) return;
      umount("/disk");
      problem += "; " + name + ": it has neither bin nor usr";
    }
  }
  throw std::runtime_error(problem);
}

// Makes the root: what the host shares, a folder of it, or a disk, with an in-memory layer that takes all writes.
void make_root(const Fields& fields) {
  const std::string share = one(fields, "share");
  mount_at("/host", share, "host", one(fields, "share_options"), MS_RDONLY);
  std::string below = "/host" + one(fields, "folder");
  if (const std::vector<std::string> kinds = all(fields, "disk"); !kinds.empty()) {
    mount_disk(kinds);
    below = "/disk";
  }
  mount_at("/layer", "tmpfs", "none", "mode=755,size=90%");
  make_folder("/layer/upper");
  make_folder("/layer/work");
  // Binds the lower folder to a short name without commas and colons, which are special in mount options.
  make_folder("/below");
  if (mount(below.c_str(), "/below", nullptr, MS_BIND | MS_REC, nullptr) != 0) fail("cannot use " + below + " as root");
  mount_at(kRoot, "overlay", "overlay", "lowerdir=/below,upperdir=/layer/upper,workdir=/layer/work");
}

void mount_control_groups(const std::string& version) {
  const std::string folder = std::string(kRoot) + "/sys/fs/cgroup";
  if (version == "1") {
    mount_at(folder, "tmpfs", "none", "mode=755");
    mount_at(folder + "/cpuset", "cgroup", "cgroup", "cpuset");
  } else {
    mount_at(folder, "cgroup2", "cgroup2");
  }
}

void mount_system(const Fields& fields) {
  mount_at(std::string(kRoot) + "/proc", "proc");
  mount_at(std::string(kRoot) + "/sys", "sysfs");
  mount_at(std::string(kRoot) + "/dev", "devtmpfs", "none", "mode=755");
  mount_at(std::string(kRoot) + "/dev/pts", "devpts", "none", "mode=600,ptmxmode=666");
  mount_at(std::string(kRoot) + "/dev/shm", "tmpfs", "none", "mode=1777,size=90%");
  make_folder(std::string(kRoot) + "/tmp");
  chmod((std::string(kRoot) + "/tmp").c_str(), 01777);
  mount_control_groups(one(fields, "control_groups"));
  for (const auto& [link, target] : {std::pair{"/fd", ""}, {"/stdin", "/0"}, {"/stdout", "/1"}, {"/stderr", "/2"}}) {
    if (symlink((std::string("/proc/self/fd") + target).c_str(), (std::string(kRoot) + "/dev" + link).c_str()) != 0) {
      fail("cannot fill /dev");
    }
  }
}

// Names the host and starts the loopback interface, through which MPI reaches its own host, by the name that is
// recorded.
void set_network(const std::string& host) {
  sethostname(host.data(), host.size());
  make_folder(std::string(kRoot) + "/etc");
  std::ofstream(std::string(kRoot) + "/etc/hosts", std::ios::app) << "\n127.0.0.1 localhost " << host << "\n";
  const int any = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request = {};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0) fail("cannot start the loopback interface");
  close(any);
}

// Brings folders and files of the host to the same paths in an image. Symbolic links in these paths resolve within the
// image.
void bring(const Fields& fields, int host) {
  const std::vector<std::string> places = all(fields, "bring");
  const std::vector<std::string> sources = all(fields, "from");
  for (std::size_t index = 0; index < places.size(); ++index) {
    const std::string source = "/proc/self/fd/" + std::to_string(host) + sources[index];
    struct stat there = {};
    if (stat(source.c_str(), &there) == 0 && S_ISREG(there.st_mode)) {
      make_folder(places[index].substr(0, places[index].rfind('/')));
      close(open(places[index].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    } else {
      make_folder(places[index]);
    }
    if (mount(source.c_str(), places[index].c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      fail("cannot bring " + places[index] + " into the image");
    }
  }
}

void enter_root(const Fields& fields) {
  const int host = open("/host", O_PATH | O_CLOEXEC);
  if (chdir(kRoot) != 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 || chroot(".") != 0) {
    fail("cannot enter the root filesystem");
  }
  bring(fields, host);
  close(host);
  if (chdir(one(fields, "cwd").c_str()) != 0 && chdir("/") != 0) fail("cannot enter the root filesystem");
}

// Sets the limits and the identity of the caller, so that the command runs as it would outside.
void become(const Fields& fields) {
  for (const std::string& limit : all(fields, "limit")) {  // RESOURCE SOFT HARD, -1: unlimited
    std::size_t soft = 0;
    std::size_t hard = 0;
    const int resource = std::stoi(limit, &soft);
    const rlim_t first = std::stoll(limit.substr(soft), &hard);
    const rlimit wanted = {.rlim_cur = first, .rlim_max = static_cast<rlim_t>(std::stoll(limit.substr(soft + hard)))};
    syscall(SYS_prlimit64, 0, resource, &wanted, nullptr);  // C libraries disagree on the type of a resource
  }
  std::vector<gid_t> groups;
  for (const std::string& one_of : all(fields, "groups")) groups.push_back(static_cast<gid_t>(std::stoul(one_of)));
  const auto user = static_cast<uid_t>(std::stoul(one(fields, "user")));
  const auto group = static_cast<gid_t>(std::stoul(one(fields, "group")));
  if (setgroups(groups.size(), groups.data()) != 0 || setresgid(group, group, group) != 0 ||
      setresuid(user, user, user) != 0) {
    fail("cannot become user " + std::to_string(user));
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> found;
  found.reserve(texts.size() + 1);
  for (std::string& text : texts) found.push_back(text.data());
  found.push_back(nullptr);
  return found;
}

// Searches like execvp, which would however pass a binary for another architecture to the shell.
std::string found_on_path(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + word).c_str(), X_OK) == 0) return folder + "/" + word;
  }
  return word;
}

[[noreturn]] void begin(const Fields& fields, const std::array<int, 2>& out, const std::array<int, 2>& err) {
  sigset_t none = {};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  dup2(err[1], STDERR_FILENO);
  std::vector<std::string> words = all(fields, "word");
  std::vector<std::string> variables = all(fields, "variable");
  int status = 126;
  try {
    become(fields);
    std::vector<char*> arguments = pointers(words);
    std::vector<char*> environment = pointers(variables);
    environ = environment.data();
    execve(found_on_path(words[0]).c_str(), arguments.data(), environ);
    if (errno == ENOENT) status = 127;
    const std::string why = errno == ENOEXEC ? "it is not for this processor's architecture" : std::strerror(errno);
    dprintf(STDERR_FILENO, "banzuke: the guest cannot run %s: %s\n", words[0].c_str(), why.c_str());
  } catch (const std::exception& error) {
    dprintf(STDERR_FILENO, "banzuke: the guest %s\n", error.what());
  }
  _exit(status);
}

// Forwards available output; returns false if the stream has ended or there is nothing more for now.
bool relay(const Port& port, char kind, int pipe) {
  std::array<char, 1 << 16> bytes = {};
  const ssize_t size = read(pipe, bytes.data(), bytes.size());
  if (size > 0) port.tell(kind, bytes.data(), static_cast<std::size_t>(size));
  return size > 0;
}

std::string ended(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

// Runs the command, relays its output until it ends, and returns its status. Processes that it left running end with
// the guest.
std::string run(const Fields& fields, const Port& port) {
  sigset_t children = {};
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  const int ends = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  std::array<int, 2> out = {};
  std::array<int, 2> err = {};
  if (ends < 0 || pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) fail("cannot make pipes");
  const pid_t command = fork();
  if (command < 0) fail("cannot start a process");
  if (command == 0) begin(fields, out, err);
  close(out[1]);
  close(err[1]);
  for (const int pipe : {out[0], err[0]}) fcntl(pipe, F_SETFL, O_NONBLOCK);
  std::array<pollfd, 3> waits = {{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}, {ends, POLLIN, 0}}};
  std::optional<int> status;
  while (!status) {
    poll(waits.data(), waits.size(), -1);
    for (const auto& [index, kind] : {std::pair{0, 'o'}, {1, 'e'}}) {
      pollfd& wait = waits[static_cast<std::size_t>(index)];
      if (wait.revents != 0 && !relay(port, kind, wait.fd) && (wait.revents & POLLHUP) != 0) wait.fd = -1;
    }
    signalfd_siginfo ignored = {};
    while (read(ends, &ignored, sizeof ignored) > 0) {
    }
    int how = 0;
    for (pid_t child = waitpid(-1, &how, WNOHANG); child > 0; child = waitpid(-1, &how, WNOHANG)) {
      if (child == command) status = how;
    }
  }
  while (relay(port, 'o', out[0])) {
  }
  while (relay(port, 'e', err[0])) {
  }
  return ended(*status);
}

void carry_out(const Fields& fields, const Port& port) {
  if (all(fields, "word").empty()) return port.tell('x', "exit 0");  // only a boot test
  make_root(fields);
  mount_system(fields);
  set_network(one(fields, "host"));
  enter_root(fields);
  port.tell('b', "");
  port.tell('x', run(fields, port));
}

int main() {
  Port port;
  try {
    const Fields fields = settings();
    mount_at("/dev", "devtmpfs");
    load_modules(fields);
    port.open();
    carry_out(fields, port);
  } catch (const std::exception& error) {
    if (port.opened()) {
      port.tell('p', error.what());
    } else {
      dprintf(STDERR_FILENO, "banzuke-guest-init: %s\n", error.what());  // console: shown in the error message
    }
  }
  sleep(10);  // the launching side stops the machine when it has received the end
  reboot(LINUX_REBOOT_CMD_POWER_OFF);
  return 1;
}

}  // namespace
}  // namespace banzuke::guest

int main() { return banzuke::guest::main(); }
