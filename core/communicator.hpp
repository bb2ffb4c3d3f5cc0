// All ranks of a run. Two implementations, chosen at link time: core/mpi and core/serial (one rank); core/kernel.cpp
// serves both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

class Communicator {
 public:
  Communicator(int& argc, char**& argv);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Position among the ranks under the same kernel: they share its processors, even from containers with host names of
  // their own.
  int local_rank() const { return local_rank_; }
  // Ranks started as one of several programs form a group: its number, and this rank's position among the group's ranks
  // under the same kernel, and among those of them on a host of the same name.
  int group() const { return group_; }
  int local_rank_in_group() const { return local_rank_in_group_; }
  int host_rank_in_group() const { return host_rank_in_group_; }

  void barrier() const;
  // Element-wise maximum over the ranks, in place, on every rank. With several ranks NaN counts as infinite, because
  // MPI's maximum may drop it, and a failed check with it.
  void maximum(std::span<double> values) const;
  double maximum(double value) const {
    maximum({&value, 1});
    return value;
  }
  // Element-wise sum, in place, on every rank.
  void sum(std::span<double> values) const;
  // Every rank's text, by rank; empty except on rank 0.
  std::vector<std::string> gather(const std::string& text) const;
  // Terminates all ranks immediately.
  [[noreturn]] void abort(int status) const;

  static std::string library();
  // The file from which this process loaded it; "none".
  static std::string library_file();
  // The MPI implementation that this was built for: "mpich", "openmpi", "intel", ...; "none".
  static std::string_view implementation();
  static std::string host();
  // The running kernel's boot id; if there is none, the host's name.
  static std::string kernel();

 private:
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int group_ = 0;
  int local_rank_in_group_ = 0;
  int host_rank_in_group_ = 0;
};

}  // namespace banzuke
