// What decisions break that do harm. Policies as written are held back by nothing, so their jobs show it.
#include "scheduler/core/harm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/policies/parameters.h"
#include "tests/scheduler/four_tasks.h"

namespace ontime::scheduler {
namespace {

using test::times_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HarmTest : public test::FourTasksTest<> {
 protected:
  static JobSpec as_written() {
    JobSpec spec = test::World::quiet_spec();
    spec.policy_parameters[std::string(kAsWritten)] = "yes";
    return spec;
  }
  // Of the next decision, and what a job that is held back would be found guilty of.
  template <class Decision>
  std::vector<std::string> harm_of(const Decision& decision) {
    order(decision);
    EXPECT_THAT(violations(world_.cluster()), IsEmpty()) << "its policy is as written";
    return harms(world_.cluster(), {.spares_as_written = false});
  }
};

TEST_F(HarmTest, ACutInTheStart) {
  run(as_written());
  report(3, 0, times_of(6, 0, 0, 0));
  EXPECT_THAT(harm_of(cut(3, 3500)),
              ElementsAre("job-1/t00003/a0: a cut (late) 12.00 s after the job's submission: the attempt was in its "
                          "start, 6.00 s after its segment's begin"));
}

TEST_F(HarmTest, AnEndInTheStart) {
  run(as_written());
  report(3, 0, times_of(6, 0, 0, 0));
  EXPECT_THAT(harm_of(EndAttempt{attempt(3), Reason::Replaced}), ElementsAre(HasSubstr("in its start")));
}

TEST_F(HarmTest, ACutOfOneThatShowsNoPace) {
  run(as_written());
  report(3, 100, times_of(8.5, 8.2, 8.2, 1));
  EXPECT_THAT(harm_of(cut(3, 3500)), ElementsAre(HasSubstr("no pace, 8.50 s after its segment's begin")));
}

TEST_F(HarmTest, ACopyThatIsNotWorthItsStart) {
  run(as_written());
  report(3, 264, times_of(11, 8, 10.9, 10));
  EXPECT_THAT(harm_of(about(3)), ElementsAre(HasSubstr("had to gain")));
}

TEST_F(HarmTest, CopiesThatCostMoreThanTheJob) {
  run(as_written());
  report_slow();
  Speculate many = about(3);
  many.work = WholeSegment{30};
  EXPECT_THAT(harm_of(many), ElementsAre(HasSubstr("and may cost 44")));
}

TEST_F(HarmTest, ADecisionThatWasHeldBackAndPassedIsNone) {
  run();
  report_slow();
  order(about(3));
  ASSERT_EQ(world_.cluster().judged().size(), 1U);
  EXPECT_THAT(harms(world_.cluster(), {.spares_as_written = false}), IsEmpty());
}

TEST_F(HarmTest, ARefusedOneIsNotCarriedOut) {
  run();
  report(3, 0, times_of(6, 0, 0, 0));
  order(cut(3, 3500));
  EXPECT_TRUE(world_.cluster().judged().empty());
}

class HarmByHand : public testing::Test {
 protected:
  HarmByHand() {
    JobSpec spec;
    spec.inputs = {{"/input", 1000, "1", Codec::Plain}};
    spec.split_bytes = 1000;
    cluster_.apply({{}, fact::JobAccepted{{1}, spec}});
    cluster_.observe_step();
  }
  void decide(Judgement::What what, double work = 0) {
    Judgement judged{what, {{1}, 0}};
    judged.work = work;
    judged.worth = {30, 10, 2, true, true, 5};
    cluster_.observe_decided();
    cluster_.observe_judged(judged, {});
  }
  Cluster cluster_;
};

TEST_F(HarmByHand, ACutAfterTooLittleHasComeOfOthers) {
  decide(Judgement::What::Cut);
  EXPECT_THAT(harms(cluster_), IsEmpty());
  cluster_.observe_divided_no_more({1});
  decide(Judgement::What::Race);
  EXPECT_THAT(harms(cluster_), IsEmpty());
  decide(Judgement::What::Cut);
  EXPECT_THAT(harms(cluster_), ElementsAre(HasSubstr("not to be divided any more")));
  EXPECT_THAT(violations(cluster_), ElementsAre(HasSubstr("not to be divided any more")));
  cluster_.observe_step();
  EXPECT_THAT(harms(cluster_), IsEmpty());
}

TEST_F(HarmByHand, AnEndThatCostsMoreThanTheJob) {
  decide(Judgement::What::End, 2);
  EXPECT_THAT(harms(cluster_), IsEmpty());
  decide(Judgement::What::End, 3);
  EXPECT_THAT(harms(cluster_), ElementsAre(HasSubstr("copies, cuts and ends of the job cost")));
}

TEST_F(HarmByHand, ADecisionThatNobodyJudged) {
  cluster_.observe_decided();
  EXPECT_THAT(harms(cluster_), ElementsAre(HasSubstr("was not judged")));
}

}  // namespace
}  // namespace ontime::scheduler
