#include "pt2pt.hpp"

int main(int argc, char** argv) {
  using namespace banzuke;
  pt2pt::Params params;
  return run_program({.benchmark = "pt2pt",
                      .backend = BANZUKE_BACKEND,
                      .declare = [&](Parameters& parameters) { pt2pt::declare(parameters, params); },
                      .footprint = [&](int /*ranks*/) { return pt2pt::footprint(params); },
                      .run = [&](const Context& context) { return pt2pt::measure(params, context); }},
                     argc, argv);
}
