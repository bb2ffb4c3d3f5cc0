// Replaces libFuzzer if the compiler is not Clang: runs LLVMFuzzerTestOneInput on the seeds and on mutations of them.
// It has no coverage feedback, so it finds less; but it is reproducible from -seed alone.
//
//   fuzz-NAME [-seed=N] [-runs=N] SEEDS     as libFuzzer's
//
// The current input is written to ./fuzz-NAME.input before it is tried, so that it remains after a crash.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 4096;

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::exit(2);
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

  std::string next() {
    std::string text = any_seed();
    for (auto left = 1 + below(8); left > 0; --left) change(text);
    text.resize(std::min(text.size(), longest));
    return text;
  }

 private:
  // Limits of number types, and text on which parsers stumble.
  static constexpr std::array<std::string_view, 20> awkward = {"0",
                                                               "-1",
                                                               "1",
                                                               "2147483647",
                                                               "2147483648",
                                                               "4294967296",
                                                               "9223372036854775807",
                                                               "9223372036854775808",
                                                               "1e308",
                                                               "nan",
                                                               "-inf",
                                                               "1e-400",
                                                               "+",
                                                               "-",
                                                               ",",
                                                               ":",
                                                               "\n",
                                                               " ",
                                                               "%",
                                                               "|"};

  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  const std::string& any_seed() { return seeds_[below(seeds_.size())]; }

  // A number or another word of the text, or a piece regardless of word boundaries.
  std::pair<std::size_t, std::size_t> piece(const std::string& text) {
    const std::size_t begin = below(text.size() + 1);
    if (below(2) == 0) return {begin, std::min(begin + below(16), text.size()) - begin};
    constexpr std::string_view separators = " \n,:|-=";
    const auto first = begin == 0 ? std::string::npos : text.find_last_of(separators, begin - 1);
    const auto from = first == std::string::npos ? 0 : first + 1;
    return {from, std::min(text.find_first_of(separators, from), text.size()) - from};
  }

  void change(std::string& text) {
    const auto [at, length] = piece(text);
    switch (below(6)) {
      case 0:
        text.replace(at, length, awkward.at(below(awkward.size())));
        return;
      case 1:
        text.erase(at, length);
        return;
      case 2:
        text.insert(at, text.substr(at, length));
        return;
      case 3:
        text.resize(at);
        return;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8)));
        return;
      default:
        const std::string& other = any_seed();
        const auto [from, size] = piece(other);
        text.replace(at, length, other, from, size);
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

class LastInput {
 public:
  explicit LastInput(std::string path)
      : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0) refuse("cannot write " + path_ + ": " + std::strerror(errno));
  }
  void set(const std::string& text) const {
    const auto size = static_cast<ssize_t>(text.size());
    if (ftruncate(file_, size) != 0 || pwrite(file_, text.data(), text.size(), 0) != size) {
      refuse("cannot write " + path_ + ": " + std::strerror(errno));
    }
  }
  void remove() const { fs::remove(path_); }

 private:
  std::string path_;
  int file_;
};

std::vector<std::string> contents(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    texts.back().resize(std::min(texts.back().size(), longest));
  }
  return texts;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  long runs = 20000;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-seed=")) {
      seed = std::strtoull(word.c_str() + 6, nullptr, 10);
    } else if (word.starts_with("-runs=")) {
      runs = std::strtol(word.c_str() + 6, nullptr, 10);
    } else {
      folder = word;
    }
  }
  const std::vector<std::string> seeds = fs::is_directory(folder) ? contents(folder) : std::vector<std::string>{};
  if (seeds.empty()) refuse("'" + folder + "' is no folder of seeds");
  const LastInput last(fs::path(argv[0]).filename().string() + ".input");
  Mutator mutator(seeds, seed);
  const auto all = static_cast<long>(seeds.size()) + runs;
  for (long run = 0; run < all; ++run) {
    const auto at = static_cast<std::size_t>(run);
    const std::string text = at < seeds.size() ? seeds[at] : mutator.next();
    last.set(text);
    // An exact-size copy, so that reads past its end are detected.
    const std::vector<std::uint8_t> exact(text.begin(), text.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  last.remove();
  std::printf("%ld inputs from %zu seeds\n", all, seeds.size());
  return 0;
}
