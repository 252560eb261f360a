#pragma once
// The words by which people name jobs: 7 or job-7, last, last-2 (two before it), 4-9, or the name that a job was given.

#include <optional>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace ontime::cli {

// The help of an argument that is one.
inline constexpr const char* kJobSelector = "The job: its id, its name, last, or last-1 for the one before that";

// One job. Of several that have the name, the one that has not ended. BadInput if none or several are meant.
Result<JobId> find_job(MasterClient& client, const std::string& word);
// For verbs that take several. Of a range, those that have not ended.
Result<std::vector<JobId>> find_jobs(MasterClient& client, const std::vector<std::string>& words);

// What `word` names of `jobs`, which are in order. Pure.
Result<std::vector<JobId>> select_jobs(const std::string& word, const wire::Reply::Jobs& jobs);

}  // namespace ontime::cli
