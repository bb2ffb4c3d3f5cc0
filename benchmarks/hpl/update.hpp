// The trailing update of one rank: U := L1^-1 U, C := C - L2 U. Nearly all of the work, so the only part that differs
// between backends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/hidden.hpp"
#include "panel.hpp"

namespace banzuke::hpl {

// Some columns of the trailing matrix; rows are `ldu` and `ldc` apart.
struct Trailing {
  double* u = nullptr;  // width of the panel x columns
  std::int64_t ldu = 0;
  double* c = nullptr;  // rows x columns
  std::int64_t ldc = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

class Update {
 public:
  // One thread per place; loads the library that Blas::chosen() names.
  explicit Update(const std::vector<std::vector<int>>& places);

  // `l2`: the panel's last `trailing.rows` rows. First, prepare(begin, end) brings U's columns [begin, end) of
  // `trailing` into place, on the thread that then solves them. The main thread calls poll() about `looks` times
  // meanwhile. Returns the seconds that the main thread waited for the others at the end.
  double run(const Panel& panel, const double* l2, const Trailing& trailing,
             const std::function<void(std::int64_t, std::int64_t)>& prepare, int looks,
             const std::function<void()>& poll) const;

  const std::string& library() const;
  const std::string& library_path() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::hpl
