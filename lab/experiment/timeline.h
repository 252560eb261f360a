#pragma once
// The timeline of attempts: who started where, at which offset, who won.

#include <string>
#include <vector>

#include "lab/experiment/figures.h"
#include "lab/experiment/rows.h"

namespace ontime::lab::experiment {

// Around the job of a run that had most copies, or else the one that took longest; a line for each node that had an
// attempt then. Without a script if there is no such job.
Figure timeline_figure(const std::string& policy, const std::vector<JobRow>& jobs,
                       const std::vector<AttemptRow>& attempts);

}  // namespace ontime::lab::experiment
