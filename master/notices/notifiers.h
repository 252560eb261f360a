#pragma once
// The processes that tell people something (ontime-notifier), one for each notice: what they do may hang, and runs
// programs. They die with this process.

#include <asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "common/base/time.h"

namespace ontime::master {

// Lives as long as somebody holds it. Control thread only.
class Notifiers : public std::enable_shared_from_this<Notifiers> {
 public:
  // `program`: its path.
  Notifiers(asio::any_io_executor executor, std::string program)
      : executor_(std::move(executor)), program_(std::move(program)) {}

  // As master::Tell.
  void tell(const std::string& notice, std::function<void(const std::string& problem)> done);
  // Ends all, without a call of `done`.
  void stop();

  // A process that has not ended on its own is killed then; its own limits are shorter.
  static constexpr Duration kMost = std::chrono::minutes(3);
  static constexpr std::size_t kAnswerBytesMax = 1000;

 private:
  struct Process;
  void on_ended(const std::shared_ptr<Process>& process);

  const asio::any_io_executor executor_;
  const std::string program_;
  std::set<std::shared_ptr<Process>> running_;
};

}  // namespace ontime::master
