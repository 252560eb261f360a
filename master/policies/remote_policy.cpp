#include "master/policies/remote_policy.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "master/policies/look.h"
#include "master/policies/plan_reader.h"
#include "master/policies/policy_process.h"

namespace ontime::master {
namespace {

using nlohmann::json;
using scheduler::JobOrder;

constexpr Duration kStartMost = std::chrono::seconds(10);  // where a look has a limit: Python loads its packages

bool is_socket(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_socket(file, error);
}

json read_answer(const std::string& text) {
  json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) throw PolicyEnded("its answer is no object of JSON");
  if (answer.contains("problem")) throw PolicyEnded(answer["problem"].get<std::string>());
  return answer;
}

JobOrder order_of(const std::string& name) {
  if (name == "fifo") return JobOrder::Fifo;
  if (name == "deadline") return JobOrder::EarliestDeadline;
  if (name == "workload") return JobOrder::ShortestRemaining;
  throw PolicyEnded("it has the order '" + name + "'; there are fifo, deadline and workload");
}

class Remote final : public scheduler::Policy {
 public:
  Remote(PolicyProcess process, const json& greeting, Duration budget) try
      : process_(std::move(process)), budget_(budget) {
    const Duration most = budget > Duration::zero() ? std::max(budget, kStartMost) : budget;
    const json answer = read_answer(process_.ask(greeting.dump(-1, ' ', false, json::error_handler_t::replace), most));
    order_ = order_of(answer.at("order").get<std::string>());
    has_shares_ = answer.at("has_shares").get<bool>();
    plans_at_submission_ = answer.at("plans_at_submission").get<bool>();
  } catch (const json::exception& wrong) {
    throw PolicyEnded(std::string("it greets strangely: ") + wrong.what());
  }

  ~Remote() override {
    if (is_sound_) PolicyProcess::give_back(std::move(process_));
  }

  JobOrder order() const override { return order_; }
  bool has_shares() const override { return has_shares_; }
  bool plans_at_submission() const override { return plans_at_submission_; }

  std::uint32_t share(JobId job) const override {
    const auto found = shares_.find(job);
    return found == shares_.end() ? 0 : found->second;
  }

  scheduler::Plan plan(const scheduler::View& view) override {
    const Look look = look_at(view, seen_);
    is_sound_ = false;
    ReadPlan read = read_plan(read_answer(process_.ask(encode(look), budget_)), look);
    is_sound_ = true;
    shares_ = std::move(read.shares);
    return std::move(read.plan);
  }

 private:
  PolicyProcess process_;
  bool is_sound_ = true;  // it has answered as it should
  const Duration budget_;
  JobOrder order_{};
  bool has_shares_ = false;
  bool plans_at_submission_ = true;
  Seen seen_;
  std::map<JobId, std::uint32_t> shares_;  // as of the last plan
};

}  // namespace

bool is_planned_elsewhere(const std::string& file) { return file.ends_with(".py") || is_socket(file); }

std::unique_ptr<scheduler::Policy> make_remote_policy(const std::string& file, const scheduler::StringMap& parameters,
                                                      Duration budget) {
  const json greeting{{"file", file}, {"parameters", parameters}, {"tables", tables_of_looks()}};
  return std::make_unique<Remote>(is_socket(file) ? PolicyProcess::at(file) : PolicyProcess::of(file), greeting,
                                  budget);
}

}  // namespace ontime::master
