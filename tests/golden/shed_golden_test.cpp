// Shed and Shed+: PoCD, hand-over offsets, shapes and intervals against the golden files.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/shed/shed.h"
#include "tests/golden/golden_file.h"
#include "tests/pocd/handover.h"
#include "tests/pocd/shed_paper.h"

namespace ontime::golden {
namespace {

using namespace scheduler::shed;  // NOLINT: the formulas under test
using namespace scheduler::math;  // NOLINT

TEST(GoldenShed, Pocd) {
  const auto rows = csv("shed_pocd.csv");
  Checker check("shed_pocd.csv", rows.size());
  for (const Row& row : rows) {
    const bool running = row["running"] != 0;
    const ShedJob job{row["N"], row["tmin"], row["beta"], row["D"], running ? row["tau"] : 0, running ? row["phi"] : 0};
    const Pocd pocd = shed_pocd(job, row["r"]);
    check.near(row, "ln_p_task", pocd.ln_p_task, 1e-12);
    check.near(row, "R", pocd.value);
    check.near(row, "ln_R", pocd.ln_value);
    check.near(row, "miss", pocd.miss);
  }
}

TEST(GoldenShed, Offsets) {
  const auto rows = csv("shed_offsets.csv");
  Checker check("shed_offsets.csv", rows.size());
  for (const Row& row : rows) {
    const OriginalPace pace{row["b_start"], row["b_end"],  row["b_count"], row["b_FP"],
                            row["t_lau"],   row["t_proc"], row["t_FP"],    row["t_now"]};
    EXPECT_EQ(row["b_off"], pace.b_start + pace.b_done) << row.place();
    const Handover shed = shed_handover(pace);
    check.near(row, "shed_b_extra_eq14", shed.b_extra, 1e-12);
    check.near(row, "shed_b_new_eq15_printed", shed_b_new_as_printed(pace), 1e-12);
    check.near(row, "shed_b_new_fixed", shed.b_new, 1e-12);
    const Handover shed_plus = handover_as_printed(pace);
    check.near(row, "sp_b_extra_eq15", shed_plus.b_extra, 1e-12);
    check.near(row, "sp_b_new_eq16", shed_plus.b_new, 1e-12);
    const double rate = (pace.b_done - pace.b_first) / (pace.t_now - pace.t_first);
    const auto shipped = [&](double end) {
      return scheduler::linear_handover(row["b_off"], rate, pace.t_processing - pace.t_launched, end);
    };
    check.near(row, "b_new_linear", shipped(std::numeric_limits<double>::infinity()).value(), 1e-12);
    check.near(row, "b_new_linear_capped", shipped(pace.b_end).value_or(pace.b_end), 1e-12);
    EXPECT_EQ(shipped(pace.b_end).has_value(), row["b_new_linear"] < pace.b_end) << row.place();
  }
}

TEST(GoldenShed, ShapeAndInterval) {
  const auto rows = csv("sp_beta_theta.csv");
  Checker check("sp_beta_theta.csv", rows.size());
  for (const Row& row : rows) {
    check.near(row, "beta_eq14", straggler_shape_as_printed(row["t_rem"], row["phi"], row["tmin"]));
    check.near(row, "beta_guarded", straggler_shape(row["t_rem"], row["phi"], row["tmin"]));
    check.near(row, "theta_eq17", check_interval(row["D"], row["t_avg"], row["theta_prime"]), 1e-12);
  }
}

}  // namespace
}  // namespace ontime::golden
