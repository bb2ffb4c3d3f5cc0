// A subset of the ranks and the messages among them, e.g. one row of a process grid. Implemented next to the
// communicator: core/mpi and core/serial.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/communicator.hpp"

namespace banzuke {

class SubCommunicator {
 public:
  // Collective over all ranks: those with equal `color` form one subcommunicator and are numbered in the order of
  // `key`.
  SubCommunicator(const Communicator& ranks, int color, int key);
  SubCommunicator(const Communicator& ranks, int color, int key, bool passes_device_memory)
      : SubCommunicator(ranks, color, key) {
    passes_device_memory_ = passes_device_memory;
  }
  ~SubCommunicator();
  SubCommunicator(const SubCommunicator&) = delete;
  SubCommunicator& operator=(const SubCommunicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Whether what devices exchange is passed to MPI in their own memory, instead of the host's.
  bool passes_device_memory() const { return passes_device_memory_; }

  // Sends `out` to `peer` and receives `in` from it; returns when both are complete.
  void exchange(int peer, std::span<const double> out, std::span<double> in) const;
  void send(int peer, std::span<const double> values) const;
  void receive(int peer, std::span<double> values) const;
  void broadcast(int root, std::span<double> values) const;
  // Element-wise sum, in place: on every rank, or on `root` alone.
  void sum(std::span<double> values) const;
  void sum(int root, std::span<double> values) const;
  // Part i of `out` goes to rank i, part i of `in` comes from it; equal parts. One call of MPI_Alltoall, i.e. the
  // library's own algorithm.
  void all_to_all(std::span<const double> out, std::span<double> in) const;

 private:
  friend class Transfer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int rank_ = 0;
  int size_ = 1;
  bool passes_device_memory_ = false;
};

// Messages in flight; their buffers must stay valid until they are complete.
class Transfer {
 public:
  explicit Transfer(const SubCommunicator& ranks);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Messages between two ranks with equal tags arrive in the order sent.
  void send(int peer, std::span<const double> values, int tag);
  void receive(int peer, std::span<double> values, int tag);
  // Makes progress; true when no message is in flight.
  bool done();
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace banzuke
