#include <gtest/gtest.h>
#include <omp.h>

#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/application.hpp"
#include "core/binding.hpp"
#include "core/command_line.hpp"
#include "core/devices.hpp"

namespace banzuke {
namespace example {

struct Params {
  std::int64_t n = 4;
  std::int64_t parts = 0;
  std::int64_t odd = 0;
};

void declare(Parameters& parameters, Params& params) {
  parameters.add("n", params.n, "", {.min = 1, .max = 100});
  parameters.add("parts", params.parts, "0: one a rank", {.min = 0, .max = 100});
  parameters.add("odd", params.odd, "of an odd n alone", {.min = 0, .max = 100});
}

void settle(Parameters& parameters, Params& params) {
  if (params.n % 2 == 0) parameters.unused("odd", "n is even", {{{"n", params.n + 1}}});
  params.odd = params.n;
}

Problem problem(Params& params, int ranks) {
  if (params.n % ranks != 0) {
    throw UsageError("n: no multiple", {{{"n", ranks}}, {{"n", 2 * ranks}, {"parts", 0}}, {{"ranks", 1}}});
  }
  if (params.parts == 0) params.parts = ranks;
  return {.footprint = 8.0 * static_cast<double>(params.n),
          .facts = {{"each", params.n / ranks},
                    {"threads", omp_get_max_threads()},
                    {"devices", static_cast<int>(given_devices().identities.size())}}};
}

Result measure(const Params& params, const Context& /*context*/) {
  if (params.n == 100) throw Unsupported("this system has no hundred");
  return {};
}

}  // namespace example

namespace {

struct Called {
  int status = 0;
  std::string out;
  std::string err;
};

Called call(std::vector<std::string> words) {
  words.insert(words.begin(), "banzuke-example-none");
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (auto& word : words) argv.push_back(word.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int status = run_program("example", example::measure, static_cast<int>(argv.size()), argv.data());
  return {status, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

TEST(CommandLine, RefusesAParameterWithTheNameOfAnOptionOfAllPrograms) {
  const Program program{.benchmark = "example", .backend = "none", .declare = {}, .problem = {}, .run = {}};
  for (const char* name : {"pages", "ranks", "describe"}) {
    Parameters parameters;
    std::int64_t value = 0;
    parameters.add(name, value, "", {});
    EXPECT_THROW(parse_command_line(program, parameters, 0, nullptr), UsageError) << name;
  }
}

TEST(Describe, CompletesTheParametersForSoManyRanks) {
  const Called done = call({"--describe", "--ranks", "2", "--threads", "7"});
  EXPECT_EQ(done.status, 0);
  EXPECT_NE(done.out.find(R"("name":"parts","type":"integer","help":"0: one a rank","value":2)"), std::string::npos);
  EXPECT_NE(done.out.find(R"("problem":{"footprint":32,"facts":{"each":2,"threads":7,"devices":0}})"),
            std::string::npos);
  EXPECT_EQ(done.err, "");
}

TEST(Describe, HasNoProblemWithoutRanks) {
  const Called done = call({"--n", "5", "--describe"});
  EXPECT_EQ(done.status, 0);
  EXPECT_NE(done.out.find(R"("value":5)"), std::string::npos);
  EXPECT_NE(done.out.find(R"("problem":null)"), std::string::npos);
}

TEST(Describe, TellsARefusalToPeopleAndToPrograms) {
  const Called done = call({"--describe", "--ranks", "3"});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(done.err, "banzuke-example-none: n: no multiple. Nearest: n=3 or n=6 parts=0 or 1 rank\n");
  EXPECT_EQ(done.out, R"({"refused":{"why":"n: no multiple","remedy":"Nearest: n=3 or n=6 parts=0 or 1 rank",)"
                      R"("nearest":[{"n":3},{"n":6,"parts":0},{"ranks":1}],"without":""}})"
                      "\n");
  EXPECT_EQ(call({"--describe", "--n", "0"}).out,
            R"({"refused":{"why":"n: 0 is outside 1 to 100","remedy":"Nearest: n=1","nearest":[{"n":1}],"without":""}})"
            "\n");
}

TEST(Describe, RefusesWhatACallHasNoUseFor) {
  EXPECT_EQ(call({"--describe", "--odd", "1"}).out,
            R"({"refused":{"why":"odd: n is even","remedy":"Nearest: n=5, or leave out odd",)"
            R"("nearest":[{"n":5}],"without":"odd"}})"
            "\n");
  EXPECT_NE(call({"--describe", "--odd", "1", "--n", "5"}).out.find(R"("help":"of an odd n alone","value":5)"),
            std::string::npos)
      << "what follows from other parameters is settled, whatever their order";
}

TEST(Describe, KnowsTheDevicesOfTheFirstRank) {
  const Called done = call({"--describe", "--ranks", "1", "--devices", "A,B,C|D"});
  EXPECT_NE(done.out.find(R"("devices":3)"), std::string::npos) << done.out;
  give_devices({});
}

TEST(Run, RefusesAPolicyOrPagesThatThereAreNot) {
  const Called policy = call({"--memory-policy", "near"});
  EXPECT_EQ(policy.status, 2);
  EXPECT_EQ(
      policy.err,
      "banzuke-example-none: memory-policy: 'near' is none of local, interleave, interleave:NODES and bind:NODES\n");
  const Called pages = call({"--pages", "huge"});
  EXPECT_EQ(pages.status, 2);
  EXPECT_EQ(pages.err, "banzuke-example-none: pages: 'huge' is none of base, transparent and reserved\n");
}

TEST(Run, HasTheRanksOfItsLauncher) {
  const Called done = call({"--ranks", "2"});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(done.err.find("banzuke-example-none: --ranks goes with --describe"), 0U) << done.err;
}

TEST(Run, HasTheThreadsOfItsBinding) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--threads", "2"}, std::vector<std::string>{"--describe", "--threads", "2"}}) {
    const Called done = call(words);
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.err.find("banzuke-example-none: --threads goes with --describe --ranks"), 0U) << done.err;
  }
  EXPECT_NE(call({"--describe", "--ranks", "1", "--threads", "0"}).err.find("'0' is no number of threads"),
            std::string::npos);
}

// The only test that gets this far, because MPI starts once per process.
TEST(Run, SkipsWhatTheSystemCannotDo) {
  const std::vector<int> allowed = allowed_cpus();
  const Called done = call({"--n", "100", "--binding", std::to_string(allowed.front())});
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.out.find(R"("status":"skipped","reason":"this system has no hundred")"), std::string::npos)
      << done.out;
  EXPECT_EQ(done.out.find("exchange_latency") != std::string::npos, allowed.size() > 1)
      << "of one thread to the others that it may use: " << done.out;
  allow_cpus(allowed);
}

}  // namespace
}  // namespace banzuke
