#include "core/gpu/halo.hpp"

#include <utility>

#include "core/device_messages.hpp"

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
    : transfer_(ranks),
      send_(std::move(send)),
      own_(own),
      stream_(stream),
      pack_(std::move(pack)),
      direct_(ranks.passes_device_memory() && ranks.size() > 1),
      packed_(direct_ ? send_.size() : 0) {
  for (const auto& neighbour : neighbours) {
    messages_.push_back({neighbour.rank, neighbour.send.size() * static_cast<std::size_t>(width),
                         static_cast<std::size_t>(neighbour.receive * width)});
    external_ += neighbour.receive * width;
  }
  if (direct_) {
    require_device_messages(platform(), "messages=device");
    return;
  }
  out_ = std::make_unique<PinnedBuffer<double>>(send_.size());
  in_ = std::make_unique<PinnedBuffer<double>>(static_cast<std::size_t>(external_));
}

void DeviceHalo::start(DevicePointer<double> x) {
  if (messages_.empty()) return;
  x_ = x;
  ready_.record(stream_);
  beside_.after(ready_);
  const Elements<double> packed = direct_ ? Elements<double>(packed_.data()) : Elements<double>(out_->data());
  pack_(beside_, static_cast<std::int64_t>(send_.size()), std::as_const(send_).data(), x, packed);
}

// Work queued before start() has read the external elements by the time that all values are packed.
void DeviceHalo::finish() {
  if (messages_.empty()) return;
  beside_.wait();
  if (direct_) {
    exchange_messages({packed_.data().address(), packed_.size()},
                      {(x_ + own_).address(), static_cast<std::size_t>(external_)});
    return;
  }
  exchange_messages(out_->span(), in_->span());
  copy(x_ + own_, std::as_const(*in_).data(), in_->size(), beside_);
  done_.record(beside_);
  stream_.after(done_);
}

void DeviceHalo::exchange_messages(std::span<const double> out, std::span<double> in) {
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.receive(rank, in.first(received), halo_tag);
    in = in.subspan(received);
  }
  for (const auto& [rank, sent, received] : messages_) {
    transfer_.send(rank, out.first(sent), halo_tag);
    out = out.subspan(sent);
  }
  transfer_.wait();
}

}  // namespace banzuke::gpu
