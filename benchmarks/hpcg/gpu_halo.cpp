#include "gpu_halo.hpp"

#include <utility>

#include "gpu_launches.hpp"

namespace banzuke::hpcg {
namespace {

constexpr int tag = 1;

}  // namespace

std::vector<std::int32_t> rows_to_send(const std::vector<Halo::Neighbour>& neighbours) {
  std::vector<std::int32_t> rows;
  for (const auto& neighbour : neighbours) rows.insert(rows.end(), neighbour.send.begin(), neighbour.send.end());
  return rows;
}

DeviceHalo::DeviceHalo(const SubCommunicator& ranks, const std::vector<Halo::Neighbour>& neighbours,
                       gpu::DeviceBuffer<std::int32_t> send, std::int64_t own, const gpu::Stream& stream)
    : transfer_(ranks), send_(std::move(send)), own_(own), stream_(stream), out_(send_.size()) {
  for (const auto& neighbour : neighbours) {
    messages_.push_back({neighbour.rank, neighbour.send.size(), static_cast<std::size_t>(neighbour.receive)});
    external_ += neighbour.receive;
  }
  in_ = std::make_unique<gpu::PinnedBuffer<double>>(static_cast<std::size_t>(external_));
}

void DeviceHalo::start(gpu::DevicePointer<double> x) {
  if (messages_.empty()) return;
  x_ = x;
  ready_.record(stream_);
  beside_.after(ready_);
  launch_rows(beside_, static_cast<std::int64_t>(send_.size()), Pack{send_.data(), x, out_.data()});
}

void DeviceHalo::finish() {
  if (messages_.empty()) return;
  beside_.wait();
  auto in = in_->span();
  auto out = out_.span();
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.receive(rank, in.first(received), tag);
    in = in.subspan(received);
  }
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.send(rank, out.first(sent), tag);
    out = out.subspan(sent);
  }
  transfer_.wait();
  gpu::copy(x_ + own_, std::as_const(*in_).data(), in_->size(), beside_);
  done_.record(beside_);
  stream_.after(done_);
}

}  // namespace banzuke::hpcg
