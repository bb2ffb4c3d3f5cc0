#include "text_lines.hpp"

#include "core/agreement.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace banzuke::spmv {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20U;

std::string reason() { return std::strerror(errno); }

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

TextLines::TextLines(std::string path)
    : path_(std::move(path)), buffer_(std::make_unique_for_overwrite<char[]>(longest_line)) {
  struct stat about{};
  if (stat(path_.c_str(), &about) != 0) throw std::runtime_error(path_ + ": cannot be read: " + reason());
  if (S_ISDIR(about.st_mode)) throw std::runtime_error(path_ + ": is a folder; name one of its files");
  if (!S_ISREG(about.st_mode)) throw std::runtime_error(path_ + ": is not a regular file");
  Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) throw std::runtime_error(path_ + ": cannot be read: " + reason());
  in_.swap(file);
  most_bytes_ = about.st_size;
  constexpr std::array<char, 2> mark = {'\x1f', '\x8b'};
  std::array<char, 2> start{};
  if (pread(in_.number(), start.data(), start.size(), 0) == 2 && start == mark) decompress();
}

// gzip ends by itself when its output is closed.
TextLines::~TextLines() {
  in_.close();
  if (gzip_ > 0) gzip_status();
}

void TextLines::decompress() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error(path_ + ": cannot be read: " + reason());
  Descriptor from(ends[0]);
  const Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in_.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.number(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "gzip";
  std::string option = "-dc";
  const std::array<char*, 3> arguments = {program.data(), option.data(), nullptr};
  const int error = posix_spawnp(&gzip_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    gzip_ = -1;
    refuse_without_gzip(std::strerror(error));
  }
  in_.swap(from);
  constexpr std::int64_t deflate = 1032;
  most_bytes_ *= deflate;
}

int TextLines::gzip_status() {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(gzip_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  const bool exited = std::exchange(gzip_, -1) == ended && WIFEXITED(status);
  return exited ? WEXITSTATUS(status) : -1;
}

void TextLines::refuse_without_gzip(const std::string& why) const {
  throw std::runtime_error(path_ + ": is compressed, and gzip cannot be started: " + why +
                           "; install it, or decompress the file");
}

void TextLines::fill() {
  if (begin_ == 0 && end_ == longest_line) {
    ++line_;
    fail("the line is longer than a MiB, so this is no such text file");
  }
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  ssize_t got = -1;
  do {
    got = read(in_.number(), buffer_.get() + end_, longest_line - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail("cannot be read on: " + reason());
  end_ += static_cast<std::size_t>(got);
  ended_ = got == 0;
  if (ended_ && gzip_ > 0) {
    constexpr int not_started = 127;  // POSIX allows the child to exit with this instead of a failure of posix_spawn
    const int status = gzip_status();
    if (status == not_started) refuse_without_gzip("exit status 127");
    if (status != 0) fail("gzip cannot decompress what follows: the file is cut off or damaged");
  }
}

bool TextLines::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view rest(buffer_.get() + begin_, end_ - begin_);
    const std::size_t length = rest.find('\n', searched);
    if (length != std::string_view::npos || (ended_ && !rest.empty())) {
      line = rest.substr(0, length);
      begin_ += line.size() + (length != std::string_view::npos ? 1 : 0);
      ++line_;
      return true;
    }
    if (ended_) return false;
    searched = rest.size();
    fill();
  }
}

void TextLines::fail(const std::string& what, std::int64_t line) const {
  throw std::runtime_error(path_ + ":" + std::to_string(line) + ": " + what);
}

void TextLines::refuse(const std::string& what) const {
  throw Unsupported(path_ + ":" + std::to_string(line_) + ": " + what);
}

}  // namespace banzuke::spmv
