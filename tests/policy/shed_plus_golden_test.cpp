// The golden scenarios of Shed+ put on a scheduler: nodes, jobs, and attempts that report until each task has the
// scenario's progress and its pace the scenario's beta (eq. 14). What shed+ then grants must be the optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "tests/golden/golden_file.h"
#include "tests/pocd/shed_paper.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::golden {
namespace {

using namespace std::chrono_literals;
using namespace scheduler;        // NOLINT: what is under test
using namespace scheduler::math;  // NOLINT
using namespace scheduler::shed;  // NOLINT
using nlohmann::json;

constexpr double kTMin = 60;  // of every job, seconds: their times are scaled so
constexpr std::uint64_t kSplit = 1'000'000'000'000;
constexpr Duration kLastReport = 1ms;  // before the check

// One task; only what is left matters to the odds, (1 - phi) t_min and beta, so phi and t_min are chosen freely.
struct ScenarioTask {
  double phi;
  double t_rem;  // by eq. 14
  double begun;  // seconds before the check
  bool is_late;
};

struct ScenarioJob {
  double deadline;
  double tau;
  std::vector<ScenarioTask> tasks;
};

// Nothing if some attempt would have to begin before its job.
std::optional<ScenarioJob> scenario_of(const json& entry) {
  double most_left = 0;
  for (const auto& task : entry["tasks"]) most_left = std::max(most_left, 1 - number(task["phi"]));
  const double smaller = std::min(1.0, most_left / 0.98);  // t_min as a share of the scenario's
  const double scale = kTMin / (number(entry["tmin"]) * smaller);
  ScenarioJob job{number(entry["D"]) * scale, number(entry["tau"]) * scale, {}};
  for (const auto& task : entry["tasks"]) {
    const double left = (1 - number(task["phi"])) / smaller;
    const double beta = number(task["beta"]);
    const double t_rem = beta * left * kTMin / (beta - 1);
    job.tasks.push_back({1 - left, t_rem, (1 - left) / left * t_rem, job.tau + t_rem > job.deadline});
    if (job.tasks.back().begun > job.tau || job.tasks.back().begun < 2 * seconds(kLastReport)) return std::nullopt;
  }
  return job;
}

// Plans once, at the instant of the scenario.
class Once final : public Policy {
 public:
  Once(std::unique_ptr<Policy> inner, TimePoint when) : inner_(std::move(inner)), when_(when) {}
  Plan plan(const View& view) override {
    if (view.now < when_) return {{}, when_};
    Plan plan = inner_->plan(view);
    plan.next_check.reset();
    return plan;
  }

 private:
  std::unique_ptr<Policy> inner_;
  TimePoint when_;
};

class ScenarioWorld {
 public:
  ScenarioWorld(std::vector<ScenarioJob> jobs, int machines, const json& limit)
      : jobs_(std::move(jobs)), limit_(limit), check_(begin_of_check()), world_(settings()) {
    for (int node = 0; node < machines; ++node) world_.register_node("n" + std::to_string(node));
  }

  // Copies by scenario job and task.
  std::vector<std::vector<std::uint32_t>> run() {
    live_through();
    world_.pass(check_ - kLastReport - world_.now());
    for (std::size_t j = 0; j < jobs_.size(); ++j) report(j);
    world_.pass(2 * kLastReport);
    std::vector<std::vector<std::uint32_t>> copies;
    for (std::size_t j = 0; j < jobs_.size(); ++j) copies.push_back(copies_of(j));
    return copies;
  }

 private:
  TimePoint begin_of_check() const {
    double longest = 0;
    for (const ScenarioJob& job : jobs_) longest = std::max(longest, job.tau);
    return TimePoint(1000s) + from_seconds(longest) + 1s;
  }

  Settings settings() {
    Settings settings;
    settings.node_timeout = 100h;
    settings.make_policy = [this](std::string_view name, const StringMap& parameters) {
      return std::make_unique<Once>(make_policy(name, parameters), check_);
    };
    return settings;
  }

  void submit(std::size_t j) {
    JobSpec spec = test::World::quiet_spec();
    spec.policy = "shed+";
    spec.policy_parameters = {{"t_min", "60s"},    {"fit", "flags"},      {"t_avg", "0s"},   {"xi", "0"},
                              {"kept", "redrawn"}, {"reserve_am", "yes"}, {"theta", "1000h"}};
    spec.policy_parameters["max"] = limit_.is_null() ? "1000" : limit_.dump();
    spec.deadline = from_seconds(jobs_[j].deadline);
    ids_[j] = world_.submit(jobs_[j].tasks.size() * kSplit, kSplit, std::move(spec));
  }

  // Submissions, and the first records by which the paces are known, in order of time.
  void live_through() {
    std::multimap<TimePoint, std::function<void()>> events;
    ids_.resize(jobs_.size());
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      events.emplace(check_ - from_seconds(jobs_[j].tau), [this, j] { submit(j); });
      for (std::uint32_t i = 0; i < jobs_[j].tasks.size(); ++i) {
        events.emplace(check_ - from_seconds(jobs_[j].tasks[i].begun), [this, j, i] {
          world_.start_attempt({{ids_[j], i}, 0});
        });
      }
    }
    for (const auto& [at, happen] : events) {
      world_.pass(at - world_.now());
      happen();
    }
  }

  void report(std::size_t j) {
    for (std::uint32_t i = 0; i < jobs_[j].tasks.size(); ++i) {
      const ScenarioTask& task = jobs_[j].tasks[i];
      const double phi = task.phi * (1 - seconds(kLastReport) / task.begun);
      world_.heartbeat({{ids_[j], i}, 0}, i * kSplit + static_cast<std::uint64_t>(phi * static_cast<double>(kSplit)));
    }
  }

  std::vector<std::uint32_t> copies_of(std::size_t j) const {
    std::vector<std::uint32_t> copies(jobs_[j].tasks.size());
    for (const DecisionAt& decision : world_.job(ids_[j]).decisions) {
      if (decision.decision.what == DecisionNote::What::Speculate) {
        copies[*decision.decision.task] += decision.decision.copies;
      }
    }
    return copies;
  }

  std::vector<ScenarioJob> jobs_;
  const json& limit_;
  TimePoint check_;
  test::World world_;
  std::vector<JobId> ids_;
};

std::vector<RunningJob> golden_jobs(const json& input, const std::vector<ScenarioJob>& scenario) {
  std::vector<RunningJob> jobs;
  for (std::size_t j = 0; j < scenario.size(); ++j) {
    const json& entry = input["jobs"][j];
    jobs.push_back({number(entry["D"]), number(entry["tmin"]), number(entry["tau"]), {}});
    for (std::size_t i = 0; i < scenario[j].tasks.size(); ++i) {
      const json& task = entry["tasks"][i];
      jobs.back().tasks.push_back({number(task["phi"]), number(task["beta"]), scenario[j].tasks[i].is_late});
    }
  }
  return jobs;
}

// The sum of ln R over the jobs that can be saved.
double value_of(const std::vector<RunningJob>& jobs, const std::vector<std::vector<std::uint32_t>>& copies) {
  double value = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    double ln = 0;
    for (std::size_t i = 0; i < jobs[j].tasks.size(); ++i) {
      const RunningTask& task = jobs[j].tasks[i];
      const double q = ln_attempt_miss(task.beta, task.phi, jobs[j].t_min, jobs[j].deadline, jobs[j].tau);
      ln += TaskOdds{q, q}.ln_pocd(copies[j][i]);
    }
    if (std::isfinite(ln)) value += ln;
  }
  return value;
}

// Tasks of the scenario are stragglers by decree, those of a scheduler when their pace makes them late: only where the
// two agree the file's own optimum is the one to reach.
bool agrees(const json& input, const std::vector<ScenarioJob>& scenario) {
  for (std::size_t j = 0; j < scenario.size(); ++j) {
    for (std::size_t i = 0; i < scenario[j].tasks.size(); ++i) {
      if (scenario[j].tasks[i].is_late != (input["jobs"][j]["tasks"][i]["straggler"].get<int>() != 0)) return false;
    }
  }
  return true;
}

std::uint64_t total(const std::vector<std::vector<std::uint32_t>>& copies) {
  std::uint64_t sum = 0;
  for (const auto& job : copies) sum += std::accumulate(job.begin(), job.end(), std::uint64_t{0});
  return sum;
}

TEST(GoldenShedPlusPolicy, GrantsTheOptimumOfTheScenarioOnAScheduler) {
  const auto rows = json_lines("shedplus_greedy.jsonl");
  Checker check("shedplus_greedy.jsonl", rows.size());
  std::size_t played = 0;
  std::size_t granted = 0;
  std::size_t agreed = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const json& input = rows[row]["input"];
    std::vector<ScenarioJob> scenario;
    for (const auto& entry : input["jobs"]) {
      if (const auto job = scenario_of(entry)) scenario.push_back(*job);
    }
    const auto kappa = static_cast<std::int64_t>(std::floor(number(rows[row]["expected"]["kappa"]) + 1e-9));
    if (scenario.size() < input["jobs"].size() || kappa < 0 || input["lambda"] != "1") continue;
    const std::string at = "shedplus_greedy.jsonl:" + std::to_string(row + 1);
    const auto copies = ScenarioWorld(scenario, input["m"].get<int>(), input["MAX"]).run();
    const std::vector<RunningJob> jobs = golden_jobs(input, scenario);
    std::vector<JobOdds> odds;
    for (const RunningJob& job : jobs) odds.push_back(odds_of(job));
    const CopyLimit limit = input["MAX"].is_null() ? CopyLimit() : CopyLimit(input["MAX"].get<std::uint32_t>());
    const ShedPlusGrant best = allocate_shed_plus(odds, kappa, limit, Objective::SumLog);
    EXPECT_LE(total(copies), static_cast<std::uint64_t>(kappa)) << at;
    check.near(at, "sum of ln R", best.total.value, value_of(jobs, copies), 1e-6);
    if (agrees(input, scenario)) {
      ++agreed;
      check.near(at, "opt_sumlog_savable", number(rows[row]["expected"]["opt_sumlog_savable"]), value_of(jobs, copies),
                 1e-6);
    }
    ++played;
    granted += total(copies) > 0 ? 1 : 0;
  }
  EXPECT_GT(played, rows.size() / 4);
  EXPECT_GT(granted, played / 3);
  EXPECT_GT(agreed, 0u);
}

}  // namespace
}  // namespace ontime::golden
