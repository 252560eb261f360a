#pragma once
// How long attempts take: what was seen of them, and the (t_min, beta) and launch time that the formulas are given.
// Durations are per byte mapped, so that splits of different sizes and attempts on parts of a split count alike.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/math/distributions.h"
#include "scheduler/math/fitted_tail.h"

namespace ontime::scheduler::math {

// How a segment began: in a process that was loaded for it, in one of the job that was kept idle, or behind another
// segment of the same attempt. AtOnce: however it began, all its bytes were taken at once, and nobody can tell its
// start from its work.
enum class Beginning : std::uint8_t { Cold, Warm, Next, AtOnce };
inline constexpr std::size_t kBeginnings = 4;

// What was seen of attempts of one application with the same parameters. The latest kKept of each kind are kept.
class DurationSample {
 public:
  static constexpr std::size_t kKept = 512;
  static constexpr std::size_t kFixedKept = 64;  // of what a median is taken

  // An attempt that mapped a good part of its split, finished or not: seconds per byte, > 0.
  void add_finished(double seconds_per_byte);
  // One that was ended early: it would have taken longer than so many seconds per byte of its split.
  void add_censored(double seconds_per_byte);
  // From the order to launch to the first record, seconds.
  void add_launch(double seconds);
  // The same in a process that was kept for it; may be 0.
  void add_warm_launch(double seconds);
  // What a segment took beyond the time of its bytes: until the first were taken, and behind the last. Seconds, >= 0.
  void add_fixed(Beginning how, double seconds);
  // Until the first bytes of a segment were taken, seconds; with a first record that is long, its time too.
  void add_first(double seconds);
  // All that `newer` holds, after what is here.
  void add(const DurationSample& newer);
  // The same, of a later job. If its attempts surely took another time for a byte, other bytes or another machine are
  // why: what is here keeps its shape and moves to their level.
  void follow(const DurationSample& later);

  std::span<const double> finished() const { return finished_; }
  std::span<const double> censored() const { return censored_; }
  std::span<const double> launches() const { return launches_; }
  std::span<const double> warm_launches() const { return warm_launches_; }
  std::span<const double> fixed(Beginning how) const { return fixed_[static_cast<std::size_t>(how)]; }
  std::size_t fixed_seen() const;  // of all beginnings
  std::span<const double> firsts() const { return firsts_; }
  bool operator==(const DurationSample& other) const {
    return finished_ == other.finished_ && censored_ == other.censored_ && launches_ == other.launches_ &&
           warm_launches_ == other.warm_launches_ && fixed_ == other.fixed_ && firsts_ == other.firsts_;
  }

  // Maximum likelihood; kept until something is added. Nothing when nothing has finished.
  const std::optional<math::ParetoFit>& fit() const;
  // Kept until something is added, too.
  std::optional<double> mean_launch() const;
  std::optional<double> mean_warm_launch() const;
  // The median; kept until something is added. REQUIRES: something has finished.
  double usual_finished() const;
  // The median of what is known of segments that began like that; of a beginning that was not seen, of cold ones (a
  // command starts anew whatever it follows, as far as anybody knows), else of any that were seen.
  std::optional<double> usual_fixed(Beginning how) const;
  // Most segments were: so nothing is known of a start, and all of their time counts as their bytes'.
  bool takes_at_once() const;
  // The median time from the begin of a segment to its first bytes: its start, and where the first record is long the
  // work on that too. Nothing is known before the first is sealed.
  std::optional<double> usual_first() const;
  // A first byte that comes later than that is late: half as late again as the median, or a standard deviation where
  // they differ much; of a few, half as late again as the latest.
  std::optional<double> slow_first() const;
  // By choose_tail(); kept until something is added or another rule is asked for.
  const std::optional<math::FittedTail>& tail(TailRule rule) const;

 private:
  void forget_fits();

  std::vector<double> finished_;
  std::vector<double> censored_;
  std::vector<double> launches_;
  std::vector<double> warm_launches_;
  std::array<std::vector<double>, kBeginnings> fixed_;
  std::vector<double> firsts_;
  mutable std::array<std::optional<double>, kBeginnings> usual_fixed_;
  mutable std::optional<double> usual_finished_;
  mutable std::optional<double> usual_first_;
  mutable std::optional<double> slow_first_;
  mutable std::optional<double> mean_launch_;
  mutable std::optional<double> mean_warm_launch_;
  mutable std::optional<math::ParetoFit> fit_;
  mutable bool fitted_ = false;
  mutable std::optional<math::FittedTail> tail_;
  mutable std::optional<TailRule> tail_rule_;  // of tail_, if that is up to date
};

enum class DurationSource : std::uint8_t {
  Profile,  // earlier jobs of the same application and parameters
  Job,      // the running job's own attempts
  Flags,    // what the user said
  Assumed   // a guess, for want of anything better
};
std::string_view name_of(DurationSource source);  // "profile", "job", "flags", "assumed"

struct Durations {
  double t_min = 0;   // shortest execution time, seconds per byte; 0: not even a guess is possible
  double beta = 2;    // shape of the Pareto tail
  double launch = 1;  // mean launch time, seconds, and what a segment takes before and behind its bytes
  DurationSource source = DurationSource::Assumed;         // of t_min and beta
  DurationSource launch_source = DurationSource::Assumed;  // of launch
  std::size_t samples = 0;                                 // attempts that t_min and beta rest on
  double beta_error = 0;                                   // standard error of beta; 0 if unknown
  // The distribution of execution times in seconds per byte, if another one was requested than the papers'
  // Pareto(t_min, beta). t_min is then the quantile kLeastShare, because not every tail has a least value.
  std::optional<math::FittedTail> tail{};

  // ln P(an attempt takes longer, in seconds per byte). REQUIRES: t_min > 0.
  double ln_survival(double seconds_per_byte) const;
  // The distribution of execution times in seconds per byte. REQUIRES: t_min > 0.
  math::FittedTail distribution() const { return tail ? *tail : math::FittedTail::pareto(t_min, beta); }
  // Seconds per byte that half of the attempts do not exceed.
  double median() const;
  bool operator==(const Durations&) const = default;
};

// What the user said; times in seconds, t_min for a whole split, or for so many bytes.
struct DurationHints {
  std::optional<double> t_min;
  std::optional<double> t_min_of;  // bytes
  std::optional<double> beta;
  std::optional<double> launch;
  std::optional<DurationSource> only;  // take t_min and beta from there or assume them
  TailRule tail = TailRule::Pareto;    // Pareto: as the papers, without any shrinkage
  bool early = false;                  // go by Outlook::early_durations(), not running_durations()
};

// The expected least of so many values that are drawn from these. REQUIRES: there are some, and `draws` > 0.
double mean_of_least(std::span<const double> values, std::uint32_t draws);

inline constexpr std::size_t kEnoughSamples = 5;  // fewer finished attempts are not fitted
inline constexpr double kAssumedBeta = 2;
inline constexpr double kAssumedLaunch = 1;  // seconds
inline constexpr double kLeastShare = 0.02;

// In order of preference: the profile, at the level of the job's own attempts where these surely differ, the job's own
// attempts, flags; a beta that cannot be fitted yet is assumed.
// `profile` may be null. `running`: seconds per byte at which attempts of the job run now, the only thing there is to
// go by while none has finished. split_bytes > 0. With a tail that is fitted to the job's own attempts the running ones
// count as well: those that have finished first are the fast ones.
Durations choose_durations(const DurationSample* profile, const DurationSample& job, std::span<const double> running,
                           const DurationHints& hints, double split_bytes);

}  // namespace ontime::scheduler::math
