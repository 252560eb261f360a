#pragma once
// A whole master inside the test, on a loopback port, with a journal in memory; the test plays workers and clients in
// coroutines on the same thread, and is deterministic but for the kernel's order of arrival.

#include <gtest/gtest.h>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/net/connection.h"
#include "common/net/coroutine.h"
#include "common/protocol/client.pb.h"
#include "common/protocol/control.pb.h"
#include "master/master.h"
#include "tests/master/gated_journal.h"
#include "tests/support/temporary_directory.h"

namespace ontime::test {

// The other side of a worker's connection.
class FakeWorker {
 public:
  explicit FakeWorker(std::shared_ptr<net::Connection> connection) : connection_(std::move(connection)) {}

  void enlist(const std::string& incarnation, std::uint32_t slots, const wire::ToMaster::Register& more = {});
  bool send(const wire::ToMaster& message) { return connection_->send(message); }
  void report(const wire::Report& report);

  // The next order or welcome; nothing once the master has closed the connection. Keeps `acknowledged` up to date.
  asio::awaitable<std::optional<wire::Order>> next_order();
  // The launch that comes next, after its job's set-up if that is new. A failure if there is none.
  asio::awaitable<wire::Order::Launch> next_launch();
  asio::awaitable<std::optional<wire::ToWorker::Welcome>> next_welcome();
  // Until the master has acknowledged that report.
  asio::awaitable<void> until_acknowledged(std::uint64_t sequence);
  // Until it has answered so many heartbeats.
  asio::awaitable<void> until_heard(std::uint64_t count);
  asio::awaitable<bool> is_closed();  // waits for it

  std::uint64_t acknowledged = 0;
  std::uint64_t heartbeats = 0;  // answered
  int messages = 0;  // received

 private:
  asio::awaitable<bool> receive();
  std::shared_ptr<net::Connection> connection_;
  std::vector<wire::Order> orders_;
  std::optional<wire::ToWorker::Welcome> welcome_;
};

class MasterFixture : public testing::Test {
 protected:
  using Script = std::function<asio::awaitable<void>()>;

  MasterFixture();
  ~MasterFixture() override;

  // Plays the script to its end against the running master.
  void play(const Script& script);

  void start_master();
  void stop_master();  // as a crash would: without warning, the journal stays

  asio::awaitable<FakeWorker> connect_worker();
  // Connected, registered and welcomed.
  asio::awaitable<FakeWorker> make_worker(std::string incarnation = "one", std::uint32_t slots = 1);
  asio::awaitable<std::shared_ptr<net::Connection>> connect(wire::Role role, std::string token = "");
  asio::awaitable<wire::Reply> ask(wire::Request request);
  // Submits a job over `input` and returns its id; fails the test if it is refused.
  asio::awaitable<std::uint32_t> submit();
  asio::awaitable<std::uint32_t> submit_request(wire::Request request);
  asio::awaitable<wire::Reply::Job> describe(std::uint32_t job, Duration wait = {});
  asio::awaitable<wire::JobSummary> ended(std::uint32_t job);  // when it has

  wire::Request submission() const;
  // As an attempt would: writes its output file, and reports the range as sealed.
  wire::Report seal(const wire::Order::Launch& launch, std::uint64_t sequence, const std::string& bytes) const;
  wire::Report about(const wire::Attempt& attempt, std::uint64_t sequence) const;

  TemporaryDirectory directory_;
  const std::string input_ = directory_ / "input.txt";
  const std::string output_ = directory_ / "out";
  master::Settings settings_;
  GatedJournal journal_;
  std::unique_ptr<asio::io_context> io_;  // of its own for each master: nothing of an older one runs on
  std::unique_ptr<master::Master> master_;
};

}  // namespace ontime::test
