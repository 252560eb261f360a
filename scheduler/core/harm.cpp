#include "scheduler/core/harm.h"

#include <cmath>

#include "common/base/units.h"
#include "scheduler/core/restraint.h"
#include "scheduler/core/worth.h"

namespace ontime::scheduler {
namespace {

std::string time_of(double seconds) {
  if (!(seconds > 0)) return "nothing";
  return std::isfinite(seconds) ? format_duration(from_seconds(seconds)) : std::string("all time");
}

std::string name_of(Judgement::What what) {
  switch (what) {
    case Judgement::What::Race:
      return "a copy";
    case Judgement::What::Cut:
      return "a cut";
    case Judgement::What::End:
      return "an end";
  }
  return "";
}

bool has_no_pace(const Judgement& judged) {
  const bool is_late = judged.late && seconds(judged.segment.age) > *judged.late;
  return judged.segment.is_known() && judged.rate <= 0 && !is_late;
}

// What it breaks, as the end of a sentence; empty: nothing.
std::string broken_by(const Judgement& judged) {
  const bool changes_attempt = judged.what != Judgement::What::Race && judged.is_running;
  if (changes_attempt && judged.segment.is_starting())
    return "the attempt was in its start, " + time_of(seconds(judged.segment.age)) + " after its segment's begin";
  if (changes_attempt && has_no_pace(judged))
    return "the attempt showed no pace, " + time_of(seconds(judged.segment.age)) +
           " after its segment's begin; it is late after " + time_of(judged.late.value_or(HUGE_VAL));
  if (judged.what == Judgement::What::Cut && !judged.is_divided_more) return "the job is not to be divided any more";
  if (!judged.worth.is_worth)
    return "it was to gain " + time_of(judged.worth.gain()) + " and had to gain " + time_of(judged.worth.least);
  const double budget = Restraint::kSpend * judged.work;
  if (judged.work > 0 && judged.worth.price > 0 && judged.spent > budget)
    return "copies, cuts and ends of the job cost " + time_of(judged.spent) + " with it, and may cost " +
           time_of(budget);
  return "";
}

std::string about(const Job& job, const Judgement& judged) {
  const std::string subject =
      judged.attempt ? to_string(AttemptId{judged.task, *judged.attempt}) : to_string(judged.task);
  return subject + ": " + name_of(judged.what) + " (" + std::string(code_of(judged.reason)) + ") " +
         format_duration(judged.at - job.submitted_at) + " after the job's submission: ";
}

}  // namespace

std::vector<std::string> harms(const Cluster& cluster, HarmBounds bounds) {
  std::vector<std::string> sentences;
  if (cluster.unjudged() != 0) sentences.emplace_back("a decision about an attempt that runs was not judged");
  for (const Judgement& judged : cluster.judged()) {
    const Job* job = cluster.find_job(judged.task.job);
    if (job == nullptr || job->spec.advised || !judged.worth.is_binding) continue;
    if (bounds.spares_as_written && is_as_written(job->spec)) continue;
    if (const std::string broken = broken_by(judged); !broken.empty())
      sentences.push_back(about(*job, judged) + broken);
  }
  return sentences;
}

}  // namespace ontime::scheduler
