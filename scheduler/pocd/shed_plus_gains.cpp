#include "scheduler/pocd/shed_plus_gains.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "scheduler/pocd/accurate.h"

namespace ontime::scheduler::pocd {
namespace {

// What the next copy of one straggler would add to ln R.
struct Offer {
  double gain;
  double ln_next;  // ln R_i with it
  std::uint32_t job;
  std::uint32_t task;
};

// The heap's order: the largest gain on top, the lowest indices on ties.
bool is_worse(const Offer& a, const Offer& b) {
  if (a.gain != b.gain) return a.gain < b.gain;
  return a.job != b.job ? a.job > b.job : a.task > b.task;
}

class GainHeap {
 public:
  GainHeap(std::span<const JobOdds> jobs, CopyLimit limit, ShedPlusGrant& grant)
      : jobs_(jobs), limit_(limit), grant_(grant) {}

  void offer_all_of(std::uint32_t job) {
    for (std::uint32_t i = 0; i < jobs_[job].stragglers.size(); ++i) {
      const Offer offer = make_offer(job, i, jobs_[job].stragglers[i].ln_pocd(grant_.copies[job][i]));
      if (is_open(offer)) offers_.push_back(offer);
    }
  }

  void spend(std::uint64_t kappa) {
    std::make_heap(offers_.begin(), offers_.end(), is_worse);
    while (!offers_.empty() && grant_.total.copies < kappa) {
      const Offer taken = offers_.front();
      ++grant_.copies[taken.job][taken.task];
      ++grant_.total.copies;
      const Offer next = make_offer(taken.job, taken.task, taken.ln_next);
      if (is_open(next)) {
        replace_top(next);
      } else {
        std::pop_heap(offers_.begin(), offers_.end(), is_worse);
        offers_.pop_back();
      }
    }
  }

 private:
  Offer make_offer(std::uint32_t job, std::uint32_t task, double ln_now) const {
    const double ln_next = jobs_[job].stragglers[task].ln_pocd(grant_.copies[job][task] + 1);
    return {ln_next - ln_now, ln_next, job, task};
  }

  bool is_open(const Offer& offer) const {
    return offer.gain > 0 && may_grow(grant_.copies[offer.job][offer.task], limit_);
  }

  // One walk down instead of the two of pop and push: the new offer is mostly not far from the old.
  void replace_top(const Offer& offer) {
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= offers_.size()) break;
      if (child + 1 < offers_.size() && is_worse(offers_[child], offers_[child + 1])) ++child;
      if (!is_worse(offer, offers_[child])) break;
      offers_[hole] = offers_[child];
      hole = child;
    }
    offers_[hole] = offer;
  }

  std::span<const JobOdds> jobs_;
  CopyLimit limit_;
  ShedPlusGrant& grant_;
  std::vector<Offer> offers_;
};

bool lacks_copy(const TaskOdds& task) { return task.ln_kept >= 0; }

std::uint64_t copies_lacking(const JobOdds& job) {
  return static_cast<std::uint64_t>(std::count_if(job.stragglers.begin(), job.stragglers.end(), lacks_copy));
}

// The jobs to serve, with the copies without which their R is 0 already given. See allocate_shed_plus.
std::vector<std::uint32_t> make_savable(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit,
                                        ShedPlusGrant& grant) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_lack;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].is_hopeless()) by_lack.emplace_back(copies_lacking(jobs[j]), j);
  }
  std::sort(by_lack.begin(), by_lack.end());
  std::vector<std::uint32_t> served;
  for (const auto& [lack, j] : by_lack) {
    if (lack > 0 && (grant.total.copies + lack > kappa || !may_grow(0, limit))) break;
    grant.total.copies += lack;
    for (std::size_t i = 0; lack > 0 && i < jobs[j].stragglers.size(); ++i) {
      grant.copies[j][i] = lacks_copy(jobs[j].stragglers[i]) ? 1 : 0;
    }
    served.push_back(j);
  }
  return served;
}

double ln_pocd_with(const JobOdds& job, const std::vector<std::uint32_t>& copies) {
  double sum = job.ln_rest;
  for (std::size_t i = 0; i < copies.size(); ++i) sum += job.stragglers[i].ln_pocd(copies[i]);
  return sum;
}

}  // namespace

ShedPlusGrant maximise_sum_of_ln(std::span<const JobOdds> jobs, std::uint64_t kappa, CopyLimit limit) {
  ShedPlusGrant grant;
  for (const JobOdds& job : jobs) grant.copies.emplace_back(job.stragglers.size());
  const std::vector<std::uint32_t> served = make_savable(jobs, kappa, limit, grant);
  GainHeap heap(jobs, limit, grant);
  for (const std::uint32_t j : served) heap.offer_all_of(j);
  heap.spend(kappa);
  for (std::size_t j = 0; j < jobs.size(); ++j) grant.ln_pocd.push_back(ln_pocd_with(jobs[j], grant.copies[j]));
  for (const std::uint32_t j : served) grant.total.value += grant.ln_pocd[j];
  grant.total.bound = grant.total.value;
  grant.total.exact = true;
  return grant;
}

}  // namespace ontime::scheduler::pocd
