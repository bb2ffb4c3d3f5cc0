#include "core/subcommunicator.hpp"

#include <mpi.h>

#include <exception>
#include <limits>
#include <stdexcept>
#include <string>

namespace banzuke {
namespace {

constexpr int blocking_tag = 0;

int count(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::length_error("a message of " + std::to_string(size) + " numbers is more than MPI takes at once");
  }
  return static_cast<int>(size);
}

}  // namespace

struct SubCommunicator::Impl {
  MPI_Comm communicator = MPI_COMM_NULL;
};

SubCommunicator::SubCommunicator(const Communicator& /*ranks*/, int color, int key) : impl_(std::make_unique<Impl>()) {
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &impl_->communicator);
  MPI_Comm_rank(impl_->communicator, &rank_);
  MPI_Comm_size(impl_->communicator, &size_);
}

// Freeing is collective, so it is left out during stack unwinding before an abort, because the other ranks do not call
// it.
SubCommunicator::~SubCommunicator() {
  if (std::uncaught_exceptions() == 0) MPI_Comm_free(&impl_->communicator);
}

void SubCommunicator::exchange(int peer, std::span<const double> out, std::span<double> in) const {
  MPI_Sendrecv(out.data(), count(out.size()), MPI_DOUBLE, peer, blocking_tag, in.data(), count(in.size()), MPI_DOUBLE,
               peer, blocking_tag, impl_->communicator, MPI_STATUS_IGNORE);
}

void SubCommunicator::send(int peer, std::span<const double> values) const {
  MPI_Send(values.data(), count(values.size()), MPI_DOUBLE, peer, blocking_tag, impl_->communicator);
}

void SubCommunicator::receive(int peer, std::span<double> values) const {
  MPI_Recv(values.data(), count(values.size()), MPI_DOUBLE, peer, blocking_tag, impl_->communicator, MPI_STATUS_IGNORE);
}

void SubCommunicator::broadcast(int root, std::span<double> values) const {
  MPI_Bcast(values.data(), count(values.size()), MPI_DOUBLE, root, impl_->communicator);
}

void SubCommunicator::sum(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), count(values.size()), MPI_DOUBLE, MPI_SUM, impl_->communicator);
}

void SubCommunicator::sum(int root, std::span<double> values) const {
  const bool here = rank_ == root;
  MPI_Reduce(here ? MPI_IN_PLACE : values.data(), here ? values.data() : nullptr, count(values.size()), MPI_DOUBLE,
             MPI_SUM, root, impl_->communicator);
}

void SubCommunicator::all_to_all(std::span<const double> out, std::span<double> in) const {
  const auto parts = static_cast<std::size_t>(size_);
  if (out.size() != in.size() || out.size() % parts != 0) {
    throw std::invalid_argument("what goes to the ranks and comes from them must be equal parts");
  }
  const int each = count(out.size() / parts);
  MPI_Alltoall(out.data(), each, MPI_DOUBLE, in.data(), each, MPI_DOUBLE, impl_->communicator);
}

struct Transfer::Impl {
  MPI_Comm communicator = MPI_COMM_NULL;
  std::vector<MPI_Request> requests;
};

Transfer::Transfer(const SubCommunicator& ranks)
    : impl_(std::make_unique<Impl>(Impl{.communicator = ranks.impl_->communicator, .requests = {}})) {}

Transfer::~Transfer() {
  if (std::uncaught_exceptions() == 0) wait();
}

void Transfer::send(int peer, std::span<const double> values, int tag) {
  MPI_Isend(values.data(), count(values.size()), MPI_DOUBLE, peer, tag, impl_->communicator,
            &impl_->requests.emplace_back());
}

void Transfer::receive(int peer, std::span<double> values, int tag) {
  MPI_Irecv(values.data(), count(values.size()), MPI_DOUBLE, peer, tag, impl_->communicator,
            &impl_->requests.emplace_back());
}

bool Transfer::done() {
  int flag = 0;
  MPI_Testall(static_cast<int>(impl_->requests.size()), impl_->requests.data(), &flag, MPI_STATUSES_IGNORE);
  if (flag != 0) impl_->requests.clear();
  return flag != 0;
}

void Transfer::wait() {
  MPI_Waitall(static_cast<int>(impl_->requests.size()), impl_->requests.data(), MPI_STATUSES_IGNORE);
  impl_->requests.clear();
}

}  // namespace banzuke
