#pragma once
// Connections between the processes of simulated machines. Bytes arrive in order, later, and in pieces; a way between
// two machines can be slow, or swallow everything in one direction or both, which nobody learns. What the kernel
// finds out alone it finds out here: a port where nobody listens, an end that was closed, an end that has been
// silent for too long (TCP_USER_TIMEOUT, keep-alive).
//
// Sources of the rules: RFC 9293 (closing, resets), RFC 5482 (user time-out), tcp(7).

#include <netinet/in.h>

#include <deque>
#include <map>
#include <set>

#include "tests/machines/open_file.h"

namespace ontime::lab::machines {

struct SocketAddress {
  std::uint32_t host = 0;  // IPv4
  std::uint16_t port = 0;
  auto operator<=>(const SocketAddress&) const = default;
};

class Network;

// A byte stream that comes in, with what is sent along (SCM_RIGHTS).
class Inbox {
 public:
  std::size_t size() const { return bytes_.size() - begin_; }
  void append(const char* from, std::size_t size);
  std::size_t take(char* to, std::size_t size, bool only_looks);
  void attach(std::vector<Held> files);  // to the byte that comes next
  // What is attached to the next byte.
  std::vector<Held> detach();
  // So much can be taken before something else is attached.
  std::size_t until_attached() const;

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
  std::uint64_t taken_ = 0;
  std::deque<std::pair<std::uint64_t, std::vector<Held>>> attached_;  // by position in the stream
};

// A pipe or a pair of local sockets: two ends, each with what comes in.
class LocalEnd final : public OpenFile {
 public:
  static std::pair<FilePointer, FilePointer> make_pair(mode_t kind);

  ssize_t read(void* to, std::size_t size) override { return receive(to, size, false); }
  ssize_t write(const void* from, std::size_t size) override;
  ssize_t receive(void* to, std::size_t size, bool only_looks);
  void attach(std::vector<Held> files);
  std::vector<Held> detach() { return inbox_.detach(); }
  void shut_down_writing();
  std::uint32_t events() override;
  mode_t kind() const override { return kind_; }

 private:
  explicit LocalEnd(mode_t kind) : kind_(kind) {}
  void on_closed() override { shut_down_writing(); }
  std::shared_ptr<LocalEnd> peer() const;  // null: it was closed
  static constexpr std::size_t kBytesMax = 208u << 10;

  const mode_t kind_;
  Inbox inbox_;
  std::weak_ptr<LocalEnd> peer_;
  bool is_at_end_ = false;  // nothing more comes
};

// A TCP socket: new, listening, connecting or connected.
class TcpSocket final : public OpenFile {
 public:
  TcpSocket(Network& network, std::uint32_t host) : network_(network), local_{host, 0} {}

  int bind(SocketAddress address);
  int listen(int backlog);
  std::shared_ptr<TcpSocket> accept();  // null: none has come
  int connect(SocketAddress address);   // -EINPROGRESS, then events()
  ssize_t read(void* to, std::size_t size) override { return receive(to, size, false); }
  ssize_t write(const void* from, std::size_t size) override;
  ssize_t receive(void* to, std::size_t size, bool only_looks);
  void shut_down_reading();
  void shut_down_writing();
  std::uint32_t events() override;
  mode_t kind() const override { return S_IFSOCK; }
  int take_error();

  bool is_listening() const { return is_listening_; }
  bool is_connected() const { return is_connected_; }
  bool has_peer() const { return peer() != nullptr; }  // the other side still has it open
  SocketAddress local() const { return local_; }
  SocketAddress remote() const { return remote_; }

  int receive_low_water = 1;
  std::size_t send_buffer = 256u << 10;
  Duration user_timeout{0};  // 0: none
  bool keeps_alive = false;
  bool resets_when_closed = false;

 private:
  friend class Network;
  struct Segment {
    std::string bytes;
    bool is_end = false;
    bool is_reset = false;
  };
  void on_closed() override;
  std::shared_ptr<TcpSocket> peer() const;  // null: it was closed, or has failed
  void fail(int error);
  void send(Segment segment);

  Network& network_;
  SocketAddress local_;
  SocketAddress remote_;
  std::weak_ptr<TcpSocket> peer_;
  bool is_listening_ = false;
  bool is_connecting_ = false;
  bool is_connected_ = false;
  std::size_t backlog_ = 0;
  std::deque<std::shared_ptr<TcpSocket>> accepted_;
  Inbox inbox_;
  bool is_at_end_ = false;
  bool has_shut_down_ = false;
  bool is_dead_ = false;  // failed or reset
  int error_ = 0;
  std::deque<Segment> outgoing_;  // not arrived yet
  bool is_under_way_ = false;     // the first of them
  std::size_t unacknowledged_ = 0;
  TimePoint unacknowledged_since_ = kNever;
  bool is_watched_ = false;  // by watch_silence()
  std::uint64_t told_alive_ = 0;
};

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  // One direction between two machines.
  struct Way {
    bool is_cut = false;
    TimePoint cut_since{};
  };
  Way& way(std::uint32_t from, std::uint32_t to);
  void cut(std::uint32_t from, std::uint32_t to);
  void mend(std::uint32_t from, std::uint32_t to);
  // All connections between the two break off.
  void reset(std::uint32_t one, std::uint32_t other);
  // A machine without power sends nothing, and nothing reaches it.
  void switch_off(std::uint32_t host);
  void switch_on(std::uint32_t host);
  Duration delay_min = std::chrono::microseconds(50);  // between two machines, one way
  Duration delay_max = std::chrono::microseconds(300);
  double cuts_in_pieces = 0.1;  // how often a segment arrives in two

 private:
  friend class TcpSocket;
  using Pointer = std::shared_ptr<TcpSocket>;
  Duration delay(std::uint32_t from, std::uint32_t to);
  bool is_open(std::uint32_t from, std::uint32_t to);
  void try_again(std::uint32_t from, std::uint32_t to, Duration within);
  // When the way is open again; at once if it is.
  void when_open(std::uint32_t from, std::uint32_t to, std::function<void()> what);
  void connect(const Pointer& socket);
  void answer(const Pointer& socket);
  void transmit(const Pointer& from);
  void arrive(const Pointer& from);
  void acknowledge(const Pointer& sender, std::size_t bytes);
  void watch_silence(const Pointer& socket);
  void keep_alive(const Pointer& socket, TimePoint silent_since);
  std::uint16_t free_port() { return next_port_++; }

  World& world_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Way> ways_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::function<void()>>> waiting_;
  std::map<SocketAddress, std::weak_ptr<TcpSocket>> listeners_;
  std::set<std::uint32_t> off_;
  std::vector<std::weak_ptr<TcpSocket>> connected_;  // the sides that were connected to
  std::uint16_t next_port_ = 40'000;
};

}  // namespace ontime::lab::machines
