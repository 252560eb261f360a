#pragma once
// What is behind a job, as people read it: the forecast and what it rests on, where bytes and machine time have gone.
// Pure; texts without a line end unless said otherwise, empty when there is nothing to say.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// "theta=2s, lambda=0.1"
std::string parameters_text(const wire::JobSummary& job);
// "every 5.00 s", "off", or for a policy that restarts "off (hadoop restarts from the beginning; --checkpoint 5s ...)".
std::string checkpoint_text(const wire::JobSummary& job);
// True if checkpoints are off because the policy's paper restarts.
bool restarts_without_checkpoints(const wire::JobSummary& job);

std::string pocd_text(double pocd);  // "0.973", "above 0.999", "1"
std::string expected_text(const wire::JobSummary& job);
std::string durations_text(const wire::Durations& durations);

// "3 for late, 1 for slow"
std::string copies_text(const wire::Reply::Job& job);
std::string bytes_text(const wire::Account& account);
std::string machine_text(const wire::Account& account);
std::string saved_text(const wire::Account& account);

}  // namespace ontime::cli
