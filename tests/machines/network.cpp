#include "tests/machines/network.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ontime::lab::machines {
namespace {

constexpr std::size_t kInboxBytesMax = 256u << 10;
constexpr std::size_t kSegmentBytesMax = 64u << 10;
constexpr Duration kOnOneMachine = std::chrono::microseconds(20);
constexpr Duration kBackOffMax = std::chrono::seconds(10);  // between two tries to get through
// As the connections of the product have it: a question after so long, then again, a few times.
constexpr Duration kAskAfter = std::chrono::seconds(60);
constexpr Duration kGiveUpAfter = std::chrono::seconds(120);

}  // namespace

Network::Way& Network::way(std::uint32_t from, std::uint32_t to) { return ways_[{from, to}]; }

void Network::cut(std::uint32_t from, std::uint32_t to) {
  Way& way = this->way(from, to);
  if (!std::exchange(way.is_cut, true)) way.cut_since = world_.now();
}

void Network::mend(std::uint32_t from, std::uint32_t to) {
  Way& way = this->way(from, to);
  if (std::exchange(way.is_cut, false)) try_again(from, to, std::min(kBackOffMax, world_.now() - way.cut_since));
}

// What waits does so after a pause that has grown with the time that the way was cut.
void Network::try_again(std::uint32_t from, std::uint32_t to, Duration within) {
  for (auto& what : std::exchange(waiting_[{from, to}], {})) {
    world_.after(Duration(static_cast<Duration::rep>(static_cast<double>(within.count()) * world_.uniform())),
                 [this, from, to, what = std::move(what)]() mutable { when_open(from, to, std::move(what)); });
  }
}

void Network::reset(std::uint32_t one, std::uint32_t other) {
  for (const auto& weak : connected_) {
    const Pointer socket = weak.lock();
    if (!socket || std::minmax(socket->local_.host, socket->remote_.host) != std::minmax(one, other)) continue;
    const Pointer peer = socket->peer();
    socket->fail(ECONNRESET);
    if (peer) peer->fail(ECONNRESET);
  }
}

// What was to leave from there is lost, and nobody there says so.
void Network::switch_off(std::uint32_t host) {
  off_.insert(host);
  for (auto& [key, waiting] : waiting_) {
    if (key.first == host) waiting.clear();
  }
}

void Network::switch_on(std::uint32_t host) {
  off_.erase(host);
  std::vector<std::uint32_t> others;
  for (const auto& [key, waiting] : waiting_) {
    if (key.second == host) others.push_back(key.first);
  }
  for (const std::uint32_t other : others) try_again(other, host, std::chrono::seconds(1));
}

Duration Network::delay(std::uint32_t from, std::uint32_t to) {
  if (from == to) return kOnOneMachine;
  const auto spread = static_cast<double>((delay_max - delay_min).count());
  return delay_min + Duration(static_cast<Duration::rep>(spread * world_.uniform()));
}

bool Network::is_open(std::uint32_t from, std::uint32_t to) {
  return from == to || (!off_.contains(to) && !way(from, to).is_cut);
}

void Network::when_open(std::uint32_t from, std::uint32_t to, std::function<void()> what) {
  if (is_open(from, to)) return what();
  waiting_[{from, to}].push_back(std::move(what));
}

void Network::connect(const Pointer& socket) {
  const std::uint32_t from = socket->local_.host;
  const std::uint32_t to = socket->remote_.host;
  world_.after(delay(from, to), [this, from, to, weak = std::weak_ptr(socket)] {
    when_open(from, to, [this, weak] {
      if (const auto self = weak.lock()) answer(self);
    });
  });
}

// At the other side. Its answer has a way to go too.
void Network::answer(const Pointer& socket) {
  if (!socket->is_connecting_) return;
  const auto found = listeners_.find(socket->remote_);
  const Pointer listener = found == listeners_.end() ? nullptr : found->second.lock();
  const bool is_heard = listener && listener->accepted_.size() < listener->backlog_;
  if (listener && !is_heard) return connect(socket);  // its queue is full: the client asks again
  Pointer other;
  if (is_heard) {
    other = std::make_shared<TcpSocket>(*this, socket->remote_.host);
    other->local_ = socket->remote_;
    other->remote_ = socket->local_;
    other->is_connected_ = true;
    other->peer_ = socket;
    socket->peer_ = other;
    std::erase_if(connected_, [](const auto& weak) { return weak.expired(); });
    connected_.push_back(other);
    listener->accepted_.push_back(other);
    listener->change();
  }
  const std::uint32_t from = socket->remote_.host;
  const std::uint32_t to = socket->local_.host;
  world_.after(delay(from, to), [this, from, to, other, weak = std::weak_ptr(socket)] {
    when_open(from, to, [other, weak] {
      const auto self = weak.lock();
      if (!self || !self->is_connecting_) return;
      if (!other) return self->fail(ECONNREFUSED);
      self->is_connecting_ = false;
      self->is_connected_ = true;
      self->change();
    });
  });
}

void Network::transmit(const Pointer& from) {
  if (from->outgoing_.empty() || std::exchange(from->is_under_way_, true)) return;
  const std::uint32_t here = from->local_.host;
  const std::uint32_t there = from->remote_.host;
  if (off_.contains(here)) {
    from->outgoing_.clear();
    return;
  }
  world_.after(delay(here, there),
               [this, here, there, from] { when_open(here, there, [this, from] { arrive(from); }); });
}

void Network::arrive(const Pointer& from) {
  from->is_under_way_ = false;
  if (from->outgoing_.empty()) return;
  const Pointer to = from->peer();
  auto segment = std::move(from->outgoing_.front());
  from->outgoing_.pop_front();
  if (!to) {
    if (!segment.is_reset)
      world_.after(delay(from->remote_.host, from->local_.host), [from] { from->fail(ECONNRESET); });
    return;
  }
  if (segment.is_reset) return to->fail(ECONNRESET);
  const std::size_t room = kInboxBytesMax - std::min(kInboxBytesMax, to->inbox_.size());
  std::size_t count = std::min(segment.bytes.size(), room);
  if (count > 1 && world_.uniform() < cuts_in_pieces) count = 1 + world_.random().below(count - 1);
  to->inbox_.append(segment.bytes.data(), count);
  if (count == segment.bytes.size()) {
    to->is_at_end_ = to->is_at_end_ || segment.is_end;
  } else {
    segment.bytes.erase(0, count);
    from->outgoing_.push_front(std::move(segment));
  }
  if (count > 0 || to->is_at_end_) to->change();
  if (count > 0) acknowledge(from, count);
  if (room > 0) transmit(from);  // else the reader makes it go on
}

void Network::acknowledge(const Pointer& sender, std::size_t bytes) {
  const std::uint32_t from = sender->remote_.host;
  const std::uint32_t to = sender->local_.host;
  world_.after(delay(from, to), [this, from, to, sender, bytes] {
    when_open(from, to, [this, sender, bytes] {
      const bool was_full = sender->unacknowledged_ >= sender->send_buffer;
      sender->unacknowledged_ -= std::min(bytes, sender->unacknowledged_);
      sender->unacknowledged_since_ = sender->unacknowledged_ > 0 ? world_.now() : kNever;
      if (was_full) sender->change();  // as Linux does: nobody hears of more room where there was some
    });
  });
}

// Ends what has been sent something and has not heard for too long that it has arrived. One look at a time.
void Network::watch_silence(const Pointer& socket) {
  const Duration limit = socket->user_timeout;
  if (limit <= Duration(0) || socket->unacknowledged_since_ == kNever) return;
  if (std::exchange(socket->is_watched_, true)) return;
  world_.at(socket->unacknowledged_since_ + limit, [this, weak = std::weak_ptr(socket)] {
    const auto self = weak.lock();
    if (!self || self->is_dead_) return;
    self->is_watched_ = false;
    if (self->unacknowledged_since_ == kNever) return;
    if (world_.now() - self->unacknowledged_since_ >= self->user_timeout) return self->fail(ETIMEDOUT);
    watch_silence(self);
  });
}

// Asks now and then whether the other side is still there, as long as the connection stands.
void Network::keep_alive(const Pointer& socket, TimePoint silent_since) {
  world_.after(kAskAfter, [this, silent_since, weak = std::weak_ptr(socket)] {
    const auto self = weak.lock();
    if (!self || self->is_dead_ || self->is_closed()) return;
    const std::uint32_t here = self->local_.host;
    const std::uint32_t there = self->remote_.host;
    const bool gets_through = is_open(here, there) && is_open(there, here);
    if (gets_through && !self->peer()) return self->fail(ECONNRESET);
    if (!gets_through && world_.now() - silent_since >= kGiveUpAfter) return self->fail(ETIMEDOUT);
    keep_alive(self, gets_through ? world_.now() : silent_since);
  });
}

std::shared_ptr<TcpSocket> TcpSocket::peer() const {
  const auto peer = peer_.lock();
  return peer && !peer->is_closed() && !peer->is_dead_ ? peer : nullptr;
}

// What was sent still leaves; what nobody has read makes it a reset.
void TcpSocket::on_closed() {
  if (is_listening_) network_.listeners_.erase(local_);
  for (const auto& socket : accepted_) const Held closes_it(socket);
  is_connecting_ = false;
  if (!is_connected_ || is_dead_) return;
  const bool is_reset = inbox_.size() > 0 || resets_when_closed;
  if (!has_shut_down_) outgoing_.push_back({"", !is_reset, is_reset});
  network_.transmit(std::static_pointer_cast<TcpSocket>(shared_from_this()));
}

int TcpSocket::bind(SocketAddress address) {
  if (address.port == 0) address.port = network_.free_port();
  const auto other = network_.listeners_.find(address);
  if (other != network_.listeners_.end() && !other->second.expired()) return -EADDRINUSE;
  local_ = address;
  return 0;
}

int TcpSocket::listen(int backlog) {
  is_listening_ = true;
  backlog_ = static_cast<std::size_t>(std::max(1, backlog));
  network_.listeners_[local_] = std::static_pointer_cast<TcpSocket>(shared_from_this());
  return 0;
}

std::shared_ptr<TcpSocket> TcpSocket::accept() {
  if (accepted_.empty()) return nullptr;
  auto socket = std::move(accepted_.front());
  accepted_.pop_front();
  return socket;
}

int TcpSocket::connect(SocketAddress address) {
  if (is_connected_) return -EISCONN;
  if (is_connecting_) return -EALREADY;
  if (local_.port == 0) local_.port = network_.free_port();
  remote_ = address;
  is_connecting_ = true;
  network_.connect(std::static_pointer_cast<TcpSocket>(shared_from_this()));
  return -EINPROGRESS;
}

int TcpSocket::take_error() { return std::exchange(error_, 0); }

void TcpSocket::fail(int error) {
  if (is_dead_) return;
  is_dead_ = true;
  is_connecting_ = false;
  error_ = error;
  outgoing_.clear();
  change();
}

void TcpSocket::send(Segment segment) {
  const auto self = std::static_pointer_cast<TcpSocket>(shared_from_this());
  unacknowledged_ += segment.bytes.size();
  if (!segment.bytes.empty() && unacknowledged_since_ == kNever) {
    unacknowledged_since_ = network_.world_.now();
    network_.watch_silence(self);
  }
  if (keeps_alive && std::exchange(told_alive_, 1) == 0) network_.keep_alive(self, network_.world_.now());
  outgoing_.push_back(std::move(segment));
  network_.transmit(self);
}

ssize_t TcpSocket::write(const void* from, std::size_t size) {
  if (is_dead_) return error_ != 0 ? -take_error() : -EPIPE;
  if (!is_connected_) return -ENOTCONN;
  if (has_shut_down_) return -EPIPE;
  const std::size_t room = send_buffer - std::min(send_buffer, unacknowledged_);
  if (room == 0) return -EAGAIN;
  const std::size_t count = std::min({size, room, kSegmentBytesMax});
  send({std::string(static_cast<const char*>(from), count), false, false});
  return static_cast<ssize_t>(count);
}

ssize_t TcpSocket::receive(void* to, std::size_t size, bool only_looks) {
  if (inbox_.size() > 0) {
    const bool was_full = inbox_.size() >= kInboxBytesMax;
    const std::size_t count = inbox_.take(static_cast<char*>(to), size, only_looks);
    if (const auto peer = peer_.lock(); was_full && peer)
      network_.transmit(peer);  // closed or not: what it sent is to come
    return static_cast<ssize_t>(count);
  }
  if (is_dead_) return error_ != 0 ? -take_error() : 0;
  if (is_at_end_) return 0;
  return is_connected_ ? -EAGAIN : -ENOTCONN;
}

void TcpSocket::shut_down_reading() {
  is_at_end_ = true;
  change();
}

void TcpSocket::shut_down_writing() {
  if (!is_connected_ || std::exchange(has_shut_down_, true)) return;
  send({"", true, false});
}

std::uint32_t TcpSocket::events() {
  if (is_listening_) return accepted_.empty() ? 0u : EPOLLIN;
  if (is_dead_) return EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLRDHUP;
  if (is_connecting_) return 0;
  if (!is_connected_) return EPOLLOUT | EPOLLHUP;
  std::uint32_t events = 0;
  if (is_at_end_ || inbox_.size() >= static_cast<std::size_t>(std::max(1, receive_low_water))) events |= EPOLLIN;
  if (is_at_end_) events |= EPOLLRDHUP;
  if (unacknowledged_ < send_buffer) events |= EPOLLOUT;
  return events;
}

}  // namespace ontime::lab::machines
