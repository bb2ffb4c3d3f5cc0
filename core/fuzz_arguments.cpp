// A program accepts any command line, or rejects it with a message and status 2.
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/cpulist.hpp"
#include "core/fuzz/demand.hpp"

namespace banzuke {
namespace {

int call(std::vector<std::string> words) {
  std::int64_t n = 1;
  std::int64_t any = 0;
  double x = 0.5;
  double bounded = 0.5;
  std::string choice = "first";
  std::string text;
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (auto& word : words) argv.push_back(word.data());
  return run_program({.benchmark = "fuzz",
                      .backend = "none",
                      .declare =
                          [&](Parameters& parameters) {
                            parameters.add("n", n, "", {.min = 1, .max = 1000});
                            parameters.add("any", any, "", {});
                            parameters.add("x", x, "");
                            parameters.add("bounded", bounded, "", {.min = 0.0, .max = 1.0});
                            parameters.add("choice", choice, "", {"first", "second"});
                            parameters.add("text", text, "");
                          },
                      .problem = [&](int ranks) -> Problem {
                        if (n == 2) throw UsageError("n", {{{"n", 3}}, {{"ranks", 1}}});
                        return {.footprint = static_cast<double>(n) * ranks};
                      },
                      .run = [](const Context&) { return Result{}; }},
                     static_cast<int>(argv.size()), argv.data());
}

void check_list(const std::string& text) {
  try {
    const auto list = parse_list(text);
    demand(!list.empty(), "a list is not empty");
    demand(parse_list(format_list(list)) == list, "a list that is written is read back");
  } catch (const UsageError&) {
    return;
  }
}

}  // namespace
}  // namespace banzuke

// One word per line. --describe keeps the program from running.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::ostringstream out;
  const std::ostringstream err;
  auto* const real_out = std::cout.rdbuf(out.rdbuf());
  auto* const real_err = std::cerr.rdbuf(err.rdbuf());
  std::vector<std::string> words = {"banzuke-fuzz-none", "--describe"};
  for (auto& word : banzuke::split(text, '\n')) {
    banzuke::check_list(word);
    words.push_back(std::move(word));
  }
  const int status = banzuke::call(std::move(words));
  std::cout.rdbuf(real_out);
  std::cerr.rdbuf(real_err);
  banzuke::demand(status == 0 || status == 2, "the status is 0 or 2");
  banzuke::demand((status == 0) == err.str().empty(), "a refusal, and nothing else, is told");
  banzuke::demand(!out.str().empty(), "what is described or refused is printed");
  return 0;
}
