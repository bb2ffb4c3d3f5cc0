// Reads a text file line by line, through the system's `gzip` if it is compressed: nothing to link, and decompression
// runs on another processor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace banzuke::spmv {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void swap(Descriptor& other) noexcept { std::swap(number_, other.number_); }

  int number() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

class TextLines {
 public:
  // Throws std::runtime_error if the file cannot be read.
  explicit TextLines(std::string path);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  // Reads a line; returns false at the end. `line` has no line feed and is valid until the next call. Throws like
  // fail() if the rest of the file cannot be read or decompressed, or a line is longer than 1 MiB.
  bool next(std::string_view& line);
  // Throws std::runtime_error, "FILE:LINE: what" for the line last read.
  [[noreturn]] void fail(const std::string& what) const { fail(what, line_); }
  [[noreturn]] void fail(const std::string& what, std::int64_t line) const;
  // Throws Unsupported with the same kind of message: the file is valid, but cannot be multiplied here.
  [[noreturn]] void refuse(const std::string& what) const;
  // Upper bound on the size of the text: deflate compresses by at most a factor of 1032.
  std::int64_t most_bytes() const { return most_bytes_; }

 private:
  void decompress();
  void fill();
  [[noreturn]] void refuse_without_gzip(const std::string& why) const;
  int gzip_status();  // waits for gzip to end and returns its status; negative if it did not exit

  std::string path_;
  Descriptor in_;
  pid_t gzip_ = -1;
  std::int64_t most_bytes_ = 0;
  std::unique_ptr<char[]> buffer_;  // not cleared: a small file uses little of it
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_ = 0;
  bool ended_ = false;
};

}  // namespace banzuke::spmv
