#include "worker/agent/session/master_link.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <utility>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/base/units.h"
#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/net/handshake.h"
#include "common/protocol/machine_use.h"

namespace ontime::worker {
namespace {

constexpr Duration kTryMin = std::chrono::milliseconds(10);
constexpr Duration kLogInterval = std::chrono::seconds(1);
constexpr Duration kMachineInterval = std::chrono::seconds(2);
constexpr Duration kHeartbeatMin = std::chrono::milliseconds(5);
constexpr Duration kHeartbeatMax = std::chrono::minutes(1);
constexpr Duration kSilenceMax = std::chrono::hours(24 * 365);
constexpr std::size_t kRegistrationBytes = 48u << 20;  // of reports; what does not fit follows the welcome

}  // namespace

MasterLink::MasterLink(asio::any_io_executor executor, Options options, ReportLog& reports, OrderTaker& orders)
    : executor_(executor),
      options_(std::move(options)),
      reports_(reports),
      orders_(orders),
      welcome_limit_(executor),
      first_welcome_by_(std::chrono::steady_clock::now() + options_.connect_timeout),
      masters_(options_.masters),
      pause_(options_.pause_min, options_.pause_max, options_.lasting),
      jitter_(static_cast<std::minstd_rand::result_type>(std::hash<std::string>()(options_.incarnation))) {
  reports_.set_listener([this] { on_report(); });
}

MasterLink::~MasterLink() { reports_.set_listener({}); }

asio::awaitable<Error> MasterLink::run() {
  for (;;) {
    Error error = co_await session();
    if (connection_) connection_->close();
    connection_ = nullptr;
    if (std::exchange(is_welcome_, false)) pause_.on_session_over(std::chrono::steady_clock::now() - welcome_at_);
    if (leave_events_ != nullptr) leave_events_->on_session_over();
    if (error.kind == ErrorKind::BadInput) co_return error;
    tell_of(error);
    if (!was_welcome_ && time_left() <= Duration(0)) {
      co_return unavailable("no master let this worker in within " + format_duration(options_.connect_timeout) + ": " +
                            error.message + "; start ontime-master there or name another with --master");
    }
    co_await pause();
  }
}

// Warns at the first failure, to show the user who starts a worker what it waits for. Further failures are no news.
void MasterLink::tell_of(const Error& error) {
  const bool is_news = was_welcome_ || !std::exchange(has_told_of_none_, true);
  spdlog::log(is_news ? spdlog::level::warn : spdlog::level::debug, "{} master={} message={}",
              was_welcome_ ? "master_lost" : "no_master_yet", net::to_string(masters_), log::Quoted{error.message});
}

asio::awaitable<Error> MasterLink::session() {
  const Duration limit = std::max(kTryMin, std::min(options_.reply_timeout, time_left()));
  auto reached = co_await net::reach_leader(&masters_, options_.tls, hello(), options_.token, limit);
  if (!reached) co_return std::move(reached).error();
  connection_ = std::move(reached->connection);
  cluster_ = reached->reply.cluster();
  connection_->send(registration());
  watch_for_welcome();
  co_return co_await converse();
}

asio::awaitable<Error> MasterLink::converse() {
  wire::ToWorker message;
  left_because_.reset();
  for (;;) {
    const auto payload = co_await connection_->receive();
    if (!payload) co_return left_because_ ? *left_because_ : payload.error();
    Status handled = unavailable("the master sent bytes that are no message");
    if (message.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) handled = handle(message);
    // Whatever is wrong with it, another connection may serve better: never the end of the worker.
    if (!handled) co_return unavailable(handled.error().message);
  }
}

asio::awaitable<void> MasterLink::pause() {
  const Duration longest = pause_.next();
  std::uniform_int_distribution<Duration::rep> spread(longest.count() / 2, longest.count());
  co_await net::sleep_for(Duration(spread(jitter_)));
}

asio::awaitable<void> MasterLink::heartbeat_loop(std::shared_ptr<net::Connection> connection, Duration interval) {
  asio::steady_timer timer(executor_, interval);
  for (;;) {
    co_await timer.async_wait(net::no_throw);
    if (!connection->is_open()) co_return;
    if (!pulse_.beat(connection->bytes_received())) co_return leave_silent_master();
    if (pulse_.may_send()) send_heartbeat();
    // From the planned instant, so that beats do not drift; after a long stop (SIGSTOP) none is made up for.
    const auto now = std::chrono::steady_clock::now();
    timer.expires_at(std::max(timer.expiry() + interval, now));
  }
}

void MasterLink::send_heartbeat() {
  const auto now = std::chrono::steady_clock::now();
  if (now - logs_refilled_at_ >= kLogInterval) {
    logs_refilled_at_ = now;
    orders_.refill_logs();
  }
  send_logs();
  wire::ToMaster message;
  orders_.add_progress(*message.mutable_heartbeat()->mutable_attempts());
  if (options_.machine_use && now - machine_told_at_ >= kMachineInterval) {
    machine_told_at_ = now;
    if (const auto use = options_.machine_use())
      *message.mutable_heartbeat()->mutable_machine() = protocol::to_wire(*use);
  }
  connection_->send(message);
  pulse_.on_sent();
}

void MasterLink::leave_silent_master() {
  left_because_ = unavailable(connection_->peer() + " has been silent for too long; perhaps the network cuts us off");
  connection_->close();
}

wire::Hello MasterLink::hello() const {
  wire::Hello hello;
  hello.set_role(wire::WORKER);
  hello.set_cluster(cluster_);
  return hello;
}

wire::ToMaster MasterLink::registration() {
  wire::ToMaster message;
  auto& all = *message.mutable_register_();
  all.set_incarnation(options_.incarnation);
  all.set_host(options_.host);
  all.set_name(options_.name);
  all.set_slots(options_.slots);
  if (options_.leaves_at) {  // as time that is left: clocks need not agree
    const Duration left = *options_.leaves_at - std::chrono::steady_clock::now();
    all.set_leaves_in_ns(std::max<Duration::rep>(1, left.count()));
  }
  if (leave_events_ != nullptr) all.mutable_leave()->set_at_once(leaves_at_once_);
  orders_.add_progress(*all.mutable_running());  // first: what it finds to be over is reported
  reports_.rewind();
  all.mutable_unacknowledged()->Swap(reports_.take_unsent(kRegistrationBytes).mutable_reports());
  return message;
}

void MasterLink::watch_for_welcome() {
  welcome_limit_.expires_after(options_.reply_timeout);
  welcome_limit_.async_wait([connection = connection_](const asio::error_code& error) {
    if (!error) connection->close();
  });
}

Status MasterLink::handle(const wire::ToWorker& message) {
  if (message.has_welcome() && !is_welcome_) return on_welcome(message.welcome());
  if (message.has_orders() && is_welcome_) return on_orders(message.orders());
  // A newer master informs of something that is not known here.
  if (message.what_case() == wire::ToWorker::WHAT_NOT_SET && message.ByteSizeLong() > 0) return {};
  return bad_input("the master sent a message that does not fit");
}

Status MasterLink::on_welcome(const wire::ToWorker::Welcome& welcome) {
  const Duration interval(welcome.heartbeat_interval_ns());
  if (interval < kHeartbeatMin || interval > kHeartbeatMax) {
    return bad_input("the master asks for a heartbeat every " + std::to_string(interval.count()) + " ns");
  }
  const Duration silence_max(welcome.silence_max_ns());
  if (silence_max <= Duration(0) || silence_max > kSilenceMax) {
    return bad_input("the master promises to say something every " + std::to_string(silence_max.count()) + " ns");
  }
  if (auto begun = orders_.begin_session(welcome); !begun) return begun;
  welcome_limit_.cancel();
  if (!was_welcome_ && !options_.warning.empty()) spdlog::warn("{}", options_.warning);
  is_welcome_ = was_welcome_ = true;
  welcome_at_ = std::chrono::steady_clock::now();
  pulse_ = Pulse(interval, silence_max);
  spdlog::info("registered master={} cluster={} {} resent={} fenced={}", connection_->peer(), cluster_,
               NodeId{welcome.node()}, reports_.unacknowledged().size(), welcome.fenced_size());
  asio::co_spawn(executor_, heartbeat_loop(connection_, interval), net::AbortOnException{"heartbeat loop"});
  pass_kill_point("registered");
  on_report();  // what happened since the registration
  send_leave();
  return {};
}

Status MasterLink::on_orders(const wire::ToWorker::Orders& orders) {
  if (auto taken = pulse_.on_taken(orders.heartbeats()); !taken) return taken;
  if (auto trimmed = reports_.acknowledge(orders.acknowledged()); !trimmed) return trimmed;
  pass_kill_point("report-acknowledged");
  for (const wire::Order& order : orders.orders()) {
    pass_kill_point("order-before-obeyed");
    if (order.has_release()) {
      if (leave_events_ == nullptr) return bad_input("the master released a worker that does not leave");
      leave_events_->on_released();
      return {};
    }
    if (auto obeyed = orders_.obey(order); !obeyed) return obeyed;
    pass_kill_point("order-obeyed");
  }
  return {};
}

void MasterLink::on_report() {
  if (std::exchange(will_send_reports_, true)) return;
  asio::post(executor_, [this] { send_reports(); });
}

void MasterLink::send_reports() {
  will_send_reports_ = false;
  send_logs();  // first: a report may end the job
  while (connection_ && is_welcome_ && connection_->is_open() && reports_.has_unsent()) {
    wire::ToMaster message;
    *message.mutable_reports() = reports_.take_unsent();
    connection_->send(message);
  }
}

void MasterLink::send_logs() {
  if (!is_connected()) return;
  if (auto logs = orders_.take_logs()) {
    wire::ToMaster message;
    *message.mutable_logs() = std::move(*logs);
    connection_->send(message);
  }
  if (auto notes = orders_.take_notes()) {
    wire::ToMaster message;
    *message.mutable_notes() = std::move(*notes);
    connection_->send(message);
  }
}

void MasterLink::leave(LeaveEvents& events, bool at_once) {
  leave_events_ = &events;
  leaves_at_once_ = at_once;
  send_leave();
}

void MasterLink::send_leave() {
  if (leave_events_ == nullptr || !is_connected()) return;
  wire::ToMaster message;
  message.mutable_leave()->set_at_once(leaves_at_once_);
  connection_->send(message);
}

Duration MasterLink::time_left() const {
  if (was_welcome_) return options_.reply_timeout;
  return first_welcome_by_ - std::chrono::steady_clock::now();
}

}  // namespace ontime::worker
