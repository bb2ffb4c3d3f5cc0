#include "noise.hpp"

int main(int argc, char** argv) {
  using namespace banzuke;
  noise::Params params;
  return run_program({.benchmark = "noise",
                      .backend = BANZUKE_BACKEND,
                      .declare = [&](Parameters& parameters) { noise::declare(parameters, params); },
                      .footprint = [&](int ranks) { return noise::footprint(params, ranks); },
                      .run = [&](const Context& context) { return noise::measure(params, context); },
                      .check = [&] { noise::check(params); }},
                     argc, argv);
}
