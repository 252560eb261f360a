#include "cli/client/selector.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

constexpr std::string_view kLast = "last";

// Of "last" and "last-2", how many jobs before the last.
std::optional<std::uint32_t> before_last(std::string_view word) {
  if (word == kLast) return 0;
  if (!word.starts_with(std::string(kLast) + "-")) return std::nullopt;
  return number_in<std::uint32_t>(word.substr(kLast.size() + 1));
}

struct IdRange {
  JobId first;
  JobId last;
};

std::optional<IdRange> range_of(std::string_view word) {
  const auto dash = word.find('-');
  if (dash == word.npos) return std::nullopt;
  const auto first = number_in<std::uint32_t>(word.substr(0, dash));
  const auto last = number_in<std::uint32_t>(word.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return IdRange{JobId{*first}, JobId{*last}};
}

Result<std::vector<JobId>> open_jobs_of(const IdRange& range, const std::string& word, const wire::Reply::Jobs& jobs) {
  if (range.first > range.last) return bad_input("'" + word + "' is no range of jobs: write the smaller number first");
  std::vector<JobId> found;
  for (const wire::JobSummary& job : jobs.jobs()) {
    const JobId id{job.job()};
    if (id >= range.first && id <= range.last && !protocol::has_ended(job)) found.push_back(id);
  }
  return found;
}

Error several(const std::string& word, const std::vector<JobId>& ids) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> names;
  for (std::size_t i = ids.size() - std::min(kNamed, ids.size()); i < ids.size(); ++i)
    names.push_back(to_string(ids[i]));
  const std::string more = ids.size() > kNamed ? ", and " + counted(ids.size() - kNamed, "older job") : "";
  return bad_input("'" + word + "' is the name of " + listed(names) + more + "; give the id of one");
}

Result<std::vector<JobId>> named_jobs(const std::string& word, const wire::Reply::Jobs& jobs) {
  std::vector<JobId> all;
  std::vector<JobId> open;
  for (const wire::JobSummary& job : jobs.jobs()) {
    if (job.settings().name() != word) continue;
    all.push_back(JobId{job.job()});
    if (!protocol::has_ended(job)) open.push_back(JobId{job.job()});
  }
  if (all.empty())
    return bad_input("there is no job '" + word + "'; give an id such as 7, a name that 'ontime jobs' shows, or last");
  if (all.size() > 1 && open.size() != 1) return several(word, all);
  return open.size() == 1 ? open : all;
}

}  // namespace

Result<std::vector<JobId>> select_jobs(const std::string& word, const wire::Reply::Jobs& jobs) {
  if (const auto id = parse_job_id(word)) return std::vector<JobId>{*id};
  if (const auto range = range_of(word)) return open_jobs_of(*range, word, jobs);
  const auto before = before_last(word);
  if (!before) return named_jobs(word, jobs);
  const auto count = static_cast<std::uint32_t>(jobs.jobs_size());
  if (*before >= count)
    return bad_input("'" + word +
                     "': " + (count == 0 ? "there is no job yet" : "there are only " + counted(count, "job")));
  return std::vector<JobId>{JobId{jobs.jobs(static_cast<int>(count - 1 - *before)).job()}};
}

Result<std::vector<JobId>> find_jobs(MasterClient& client, const std::vector<std::string>& words) {
  std::vector<JobId> found;
  std::optional<wire::Reply::Jobs> jobs;
  for (const std::string& word : words) {
    if (!parse_job_id(word) && !jobs) {
      auto list = client.list_jobs();
      if (!list) return list.error();
      jobs = std::move(*list);
    }
    const auto named = select_jobs(word, jobs ? *jobs : wire::Reply::Jobs());
    if (!named) return named.error();
    for (const JobId id : *named)
      if (std::ranges::count(found, id) == 0) found.push_back(id);
  }
  return found;
}

Result<JobId> find_job(MasterClient& client, const std::string& word) {
  if (range_of(word)) return bad_input("'" + word + "' is a range of jobs, and this verb takes one job");
  const auto before = before_last(word);
  if (!before) {
    const auto found = find_jobs(client, {word});
    if (!found) return found.error();
    return found->front();
  }
  const auto jobs = client.list_jobs({.latest = *before + 1});
  if (!jobs) return jobs.error();
  const auto found = select_jobs(word, *jobs);
  if (!found) return found.error();
  return found->front();
}

}  // namespace ontime::cli
