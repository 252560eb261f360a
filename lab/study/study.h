#pragma once
// A study: one scenario run at many points (settings that vary, policies, seeds). One file is one table or figure of a
// paper; docs/research/simulator.md lists the keys. What is made of the rows is read by python/ontime/lab/study.py.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"

namespace ontime::lab {

// A place in the scenario's document: "jobs.0.deadline". "policy.theta" is a parameter of the policy that is run.
struct Setting;

// So many times the median flow time of the jobs under a policy, measured first: with the seeds of the point, or with
// so many from `seed` on, or for each seed of the point alone, in so many runs of the same jobs with other luck.
struct MediansOf {
  std::string policy;
  double times = 1;
  std::uint32_t runs = 0;  // 0: the seeds of the point
  std::uint64_t seed = 1;
  bool other_luck = false;
  std::vector<Setting> with;  // on top of what the point says, for the measurement only
};

struct Setting {
  std::string path;
  YAML::Node value;  // unless measured
  std::optional<MediansOf> medians;
};

struct AxisValue {
  std::string label;
  std::vector<Setting> settings;
};

// Something that varies.
struct Axis {
  std::string name;
  std::vector<AxisValue> values;
  bool pooled = false;  // points that differ in it alone make one row
};

// A policy's parameter that is the share of jobs that miss their deadline under another policy.
struct MissOf {
  std::string policy;
  bool per_task = false;  // of tasks instead, as if each missed on its own
};

// A policy as the paper calls it.
struct Contender {
  std::string name;
  std::string run;  // "shed+:theta=1s"
  std::map<std::string, MissOf> measured;
};

// What is kept of every run for the study's figure, which python/ontime/lab draws.
enum class Curves : std::uint8_t { None, Times, Samples };

// log(PoCD - r_min) - theta price machine_time
struct Utility {
  double log_base = 10;
  double r_min = 0;
  double theta = 0;
  double price = 1;
};

// What is to be read of running jobs.
struct Forecasts {
  std::vector<double> life;      // at these shares of a job's time, which nobody knows by then
  std::vector<double> deadline;  // of the time to its deadline

  bool empty() const { return life.empty() && deadline.empty(); }
};

struct Study {
  std::uint64_t seed = 1;   // the first one
  std::uint32_t seeds = 1;  // of a point
  bool own_seeds = false;   // points have other seeds than each other, policies at one place the same
  std::uint32_t every = 1;  // of the points: the first of so many is run
  std::vector<Contender> policies;
  std::vector<Axis> axes;
  std::vector<std::string> measures;
  Utility utility;
  bool by_group = false;  // jobs are counted by the name of their group
  Forecasts forecasts;
  Curves curves = Curves::None;
  YAML::Node scenario;        // the document
  Surroundings surroundings;  // of the document
};

// A study from its YAML document.
bool has_study(const std::string& text);  // whether there is a key `study`; no if it cannot be read

// BadInput with the line where something is wrong. The scenario without any of the varying settings must be right too.
Result<Study> read_study(const std::string& text, const Surroundings& surroundings = {});

// What its runs depend on: its document without what is only shown, or says how many runs there are.
std::string text_of_runs(const Study& study);

// From a study to scenarios: the product of its axes, settings put in their places, what must be measured first.

// One value of each axis.
struct PointOfAxes {
  std::vector<std::string> labels;  // one per axis
  std::vector<Setting> settings;    // of all of them, a setting of a later axis behind those of earlier ones
};

std::vector<PointOfAxes> places_of(const Study& study);  // the last axis varies fastest

// Items of the list of jobs that a path means: "jobs.1.deadline" the second, "jobs.*.deadline" each in turn; otherwise
// the path as it is, for the first item. Of pairs of a plain path and the index of an item.
std::vector<std::pair<std::string, std::size_t>> spelled_out(const std::string& path, std::size_t items);

// Whether it belongs into the scenario's document: neither a parameter ("policy.theta"), nor what a name in the
// policies' texts stands for ("$theta"), nor the utility ("utility.theta").
bool is_of_scenario(const Setting& setting);

// `policy` with what the settings say for names such as $theta.
std::string filled_in(const std::string& policy, const std::vector<Setting>& settings);

// The utility at a point.
Result<Utility> utility_of(const Study& study, const std::vector<Setting>& settings);

// The study's scenario with these settings, in order, and this policy ("" : as the scenario says). Settings that must
// be measured are left out.
Result<Scenario> scenario_of(const Study& study, const std::vector<Setting>& settings, const std::string& policy);

}  // namespace ontime::lab
