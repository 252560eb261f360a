#include "scheduler/policy/shed_plus_grant.h"

#include <cmath>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/shed_pocd.h"

namespace ontime::scheduler {
namespace {

// A job that has late pieces, and where they are.
struct Claim {
  const WatchedJob* job;
  std::size_t first;
  std::size_t count;
};

std::vector<Claim> claims_of(std::span<const WatchedJob> jobs, std::span<const Straggler> pieces) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0 || pieces[i].job != pieces[i - 1].job) claims.push_back({&jobs[pieces[i].job], i, 0});
    ++claims.back().count;
  }
  return claims;
}

// Eq. 8 for the tasks that are in time by their own pace, or wait: ln of the product of their R_i with r = 0.
double ln_rest(const WatchedJob& job, double now) {
  const JobView& view = *job.view;
  const double deadline = view.deadline();
  const double bytes = mean_split_bytes(view);
  const double t_min = job.durations.t_min * bytes;
  double ln = 0;
  for (std::size_t task = 0; task < view.outlook->completion().size(); ++task) {
    const double completion = view.outlook->completion()[task];
    const double phi = static_cast<double>(view.outlook->progress()[task]);
    if (completion > deadline || phi >= 1) continue;
    const double beta =
        std::isnan(completion) ? job.durations.beta : pocd::straggler_shape(completion - now, phi, t_min);
    const bool has_tail = std::isnan(completion) && job.durations.tail.has_value() && deadline > now;
    const double ln_miss = has_tail ? job.durations.ln_survival((deadline - now) / (bytes * (1 - phi)))
                                    : pocd::ln_attempt_miss(beta, phi, t_min, deadline, now);
    ln += pocd::TaskOdds{ln_miss, ln_miss}.ln_pocd(0);
  }
  return ln;
}

class Granting {
 public:
  Granting(const View& view, std::span<const WatchedJob> jobs, std::span<const Straggler> pieces, const GrantRule& rule)
      : view_(view), pieces_(pieces), rule_(rule), claims_(claims_of(jobs, pieces)) {}

  std::vector<PieceGrant> run(std::int64_t kappa) {
    for (const Claim& claim : claims_) odds_.push_back(odds_of(claim));
    grant_ = rule_.as_printed ? pocd::shed_plus_listing(odds_, kappa, rule_.max, pocd::HopelessJobs::Feed)
                              : pocd::allocate_shed_plus(odds_, kappa, rule_.max, rule_.objective);
    give_leftovers(kappa - static_cast<std::int64_t>(grant_.total.copies));
    return by_piece();
  }

 private:
  bool kept_misses() const { return rule_.kept_misses && !rule_.as_printed; }
  pocd::JobOdds odds_of(const Claim& claim) const;
  void give_leftovers(std::int64_t left);
  std::uint32_t worthwhile(std::uint32_t copies, const pocd::TaskOdds& odds) const;
  std::vector<PieceGrant> by_piece() const;

  const View& view_;
  std::span<const Straggler> pieces_;
  const GrantRule& rule_;
  std::vector<Claim> claims_;
  std::vector<pocd::JobOdds> odds_;  // by claim
  pocd::ShedPlusGrant grant_;
};

// The sum of ln R is raised by the same copies whatever the rest of the job is like, so it is not computed then.
pocd::JobOdds Granting::odds_of(const Claim& claim) const {
  pocd::JobOdds odds;
  const bool rest_matters = rule_.as_printed || rule_.objective != pocd::Objective::SumLog;
  if (rest_matters) odds.ln_rest = ln_rest(*claim.job, claim.job->view->since_submission(view_.now));
  if (claim.job->is_lost && !rule_.as_printed) odds.ln_rest = -pocd::kInfinity;
  odds.stragglers.reserve(claim.count);
  for (const Straggler& piece : pieces_.subspan(claim.first, claim.count)) {
    odds.stragglers.push_back({kept_misses() ? 0 : piece.ln_copy, piece.ln_copy});
  }
  return odds;
}

void Granting::give_leftovers(std::int64_t left) {
  if (!kept_misses() || left <= 0) return;
  std::vector<pocd::JobOdds> odds;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (grant_.ln_pocd[i] > -pocd::kInfinity || odds_[i].is_hopeless()) continue;
    odds.push_back(odds_[i]);
    for (pocd::TaskOdds& task : odds.back().stragglers) task.ln_kept = task.ln_copy;
    whose.push_back(i);
  }
  if (odds.empty()) return;
  const pocd::ShedPlusGrant second = pocd::allocate_shed_plus(odds, left, rule_.max, rule_.objective);
  for (std::size_t i = 0; i < whose.size(); ++i) grant_.copies[whose[i]] = second.copies[i];
}

// Gains shrink from copy to copy, so what is given up here would have been granted after everything that is kept.
std::uint32_t Granting::worthwhile(std::uint32_t copies, const pocd::TaskOdds& odds) const {
  while (copies > 1 && odds.ln_pocd(copies) - odds.ln_pocd(copies - 1) < rule_.gain_min) --copies;
  return copies;
}

std::vector<PieceGrant> Granting::by_piece() const {
  std::vector<PieceGrant> grants(pieces_.size());
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    for (std::size_t k = 0; k < claims_[i].count; ++k) {
      PieceGrant& grant = grants[claims_[i].first + k];
      const pocd::TaskOdds& odds = odds_[i].stragglers[k];
      grant.copies = worthwhile(grant_.copies[i][k], odds);
      if (grant.copies == 0) continue;
      grant.pocd_before = std::exp(odds.ln_pocd(0));
      grant.pocd_after = std::exp(odds.ln_pocd(grant.copies));
    }
  }
  return grants;
}

}  // namespace

std::vector<PieceGrant> grant_copies(const View& view, std::span<const WatchedJob> jobs,
                                     std::span<const Straggler> pieces, std::int64_t kappa, const GrantRule& rule) {
  if (pieces.empty() || kappa <= 0) return std::vector<PieceGrant>(pieces.size());
  return Granting(view, jobs, pieces, rule).run(kappa);
}

}  // namespace ontime::scheduler
