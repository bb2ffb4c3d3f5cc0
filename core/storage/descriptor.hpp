// An open file or directory; always closed on destruction.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace banzuke {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }
  // Like close(2): some file systems report only here that written data were lost.
  int reset() {
    const int number = release();
    return number < 0 ? 0 : ::close(number);
  }

 private:
  int number_ = -1;
};

// Throws `cannot WHAT: No space left on device`, from errno.
[[noreturn]] inline void throw_errno(const std::string& what, int number = errno) {
  throw std::runtime_error("cannot " + what + ": " + std::strerror(number));
}

}  // namespace banzuke
