#pragma once
// From a study to scenarios: the product of its axes, settings put in their places, what must be measured first.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/study/study.h"

namespace ontime::lab {

// One value of each axis.
struct Place {
  std::vector<std::string> labels;  // one per axis
  std::vector<Setting> settings;    // of all of them, a setting of a later axis behind those of earlier ones
};

std::vector<Place> places_of(const Study& study);  // the last axis varies fastest

// Groups of jobs that a path means: "jobs.1.deadline" the second, "jobs.*.deadline" each in turn; otherwise the path as
// it is, for the first group. Of pairs of a plain path and the index of a group.
std::vector<std::pair<std::string, std::size_t>> spelled_out(const std::string& path, std::size_t groups);

// Whether it belongs into the scenario's document: neither a parameter ("policy.theta"), nor what a name in the policies'
// texts stands for ("$theta"), nor the utility ("utility.theta").
bool is_of_scenario(const Setting& setting);

// `policy` with what the settings say for names such as $theta.
std::string filled_in(std::string policy, const std::vector<Setting>& settings);

// The utility at a point.
Result<Utility> utility_of(const Study& study, const std::vector<Setting>& settings);

// The study's scenario with these settings, in order, and this policy ("" : as the scenario says). Settings that must
// be measured are left out.
Result<Scenario> scenario_of(const Study& study, const std::vector<Setting>& settings, const std::string& policy);

}  // namespace ontime::lab
