// All ranks of a run. Two implementations, chosen by the linker: core/mpi and core/serial (one rank); core/kernel.cpp
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
  // Position among the ranks under the same kernel: they share its processors, also from containers that each have a
  // host name of their own.
  int local_rank() const { return local_rank_; }
  // Ranks that were started as one program of several form a group: its number among them, and the position among its
  // ranks under the same kernel, and among those of them on a host of this name.
  int group() const { return group_; }
  int local_rank_in_group() const { return local_rank_in_group_; }
  int host_rank_in_group() const { return host_rank_in_group_; }

  void barrier() const;
  // Element-wise maximum over the ranks, in place, on every rank. With several ranks NaN counts as infinite, because
  // MPI's maximum may lose it, and a failed check with it.
  void maximum(std::span<double> values) const;
  double maximum(double value) const {
    maximum({&value, 1});
    return value;
  }
  // Element-wise sum, in place, on every rank.
  void sum(std::span<double> values) const;
  // Every rank's text, by rank; empty on all ranks but 0.
  std::vector<std::string> gather(const std::string& text) const;
  // Ends every rank at once.
  [[noreturn]] void abort(int status) const;

  static std::string library();
  // The file that this process has it from; "none".
  static std::string library_file();
  // Whose library this was built for: "mpich", "openmpi", "intel", ...; "none".
  static std::string_view implementation();
  static std::string host();
  // The kernel that runs this process, as it tells itself from others since it was started; else the host's name.
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
