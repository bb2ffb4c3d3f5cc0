#include "core/gpu/halo.hpp"

#include <utility>

namespace banzuke::gpu {
namespace {

constexpr int halo_tag = 1;

}  // namespace

std::vector<std::int32_t> rows_to_send(const std::vector<Halo::Neighbour>& neighbours) {
  std::vector<std::int32_t> rows;
  for (const auto& neighbour : neighbours) rows.insert(rows.end(), neighbour.send.begin(), neighbour.send.end());
  return rows;
}

DeviceHalo::DeviceHalo(const SubCommunicator& ranks, const std::vector<Halo::Neighbour>& neighbours, int width,
                       DeviceBuffer<std::int32_t> send, std::int64_t own, const Stream& stream, Pack pack)
    : transfer_(ranks), send_(std::move(send)), own_(own), stream_(stream), pack_(std::move(pack)), out_(send_.size()) {
  for (const auto& neighbour : neighbours) {
    messages_.push_back({neighbour.rank, neighbour.send.size() * static_cast<std::size_t>(width),
                         static_cast<std::size_t>(neighbour.receive * width)});
    external_ += neighbour.receive * width;
  }
  in_ = std::make_unique<PinnedBuffer<double>>(static_cast<std::size_t>(external_));
}

void DeviceHalo::start(DevicePointer<double> x) {
  if (messages_.empty()) return;
  x_ = x;
  ready_.record(stream_);
  beside_.after(ready_);
  pack_(beside_, static_cast<std::int64_t>(send_.size()), std::as_const(send_).data(), x, out_.data());
}

void DeviceHalo::finish() {
  if (messages_.empty()) return;
  beside_.wait();
  auto in = in_->span();
  auto out = out_.span();
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.receive(rank, in.first(received), halo_tag);
    in = in.subspan(received);
  }
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.send(rank, out.first(sent), halo_tag);
    out = out.subspan(sent);
  }
  transfer_.wait();
  copy(x_ + own_, std::as_const(*in_).data(), in_->size(), beside_);
  done_.record(beside_);
  stream_.after(done_);
}

}  // namespace banzuke::gpu
