#include "common/base/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <type_traits>

namespace ontime {
namespace {

TEST(Ids, PrintAsPeopleReadThem) {
  const AttemptId attempt{{JobId{7}, 3}, 1};
  EXPECT_EQ(to_string(attempt.task.job), "job-7");
  EXPECT_EQ(to_string(NodeId{2}), "node-2");
  EXPECT_EQ(to_string(attempt.task), "job-7/t00003");
  EXPECT_EQ(to_string(attempt), "job-7/t00003/a1");
}

TEST(Ids, FileNamesSortAsNumbersAndGrowBeyondFiveDigits) {
  EXPECT_EQ(part_file_name(3), "part-m-00003");
  EXPECT_EQ(part_file_name(1234567), "part-m-1234567");
  EXPECT_EQ(part_file_name(3, ".jsonl.zst"), "part-m-00003.jsonl.zst");
  EXPECT_TRUE(is_part_file_name("part-m-00003", 3));
  EXPECT_TRUE(is_part_file_name("part-m-00003.jsonl.zst", 3));
  EXPECT_FALSE(is_part_file_name("part-m-000031", 3));
  EXPECT_FALSE(is_part_file_name("part-m-00003.jsonl", 4));
  EXPECT_EQ(attempt_file_name({{JobId{7}, 42}, 10}), "t00042-a10");
}

TEST(Ids, OrderByJobThenTaskThenNumber) {
  EXPECT_LT((AttemptId{{JobId{1}, 9}, 9}), (AttemptId{{JobId{2}, 0}, 0}));
  EXPECT_LT((AttemptId{{JobId{1}, 2}, 9}), (AttemptId{{JobId{1}, 3}, 0}));
  EXPECT_LT((AttemptId{{JobId{1}, 2}, 0}), (AttemptId{{JobId{1}, 2}, 1}));
}

TEST(Ids, DoNotConvertToEachOther) {
  EXPECT_FALSE((std::is_convertible_v<JobId, NodeId>));
  EXPECT_FALSE((std::is_convertible_v<NodeId, JobId>));
}

TEST(Ids, JobIdsParseInBothForms) {
  EXPECT_EQ(parse_job_id("7"), JobId{7});
  EXPECT_EQ(parse_job_id("job-7"), JobId{7});
  EXPECT_TRUE(rc::check([] {
    const JobId id{*rc::gen::inRange<std::uint32_t>(1, 4000000000u)};
    RC_ASSERT(parse_job_id(to_string(id)) == id);
  }));
}

TEST(Ids, OtherTextIsNoJobId) {
  for (const char* text :
       {"", "0", "job-", "job-0", "job-x", "7x", " 7", "-7", "+7", "job--7", "4294967296", "Job-7"}) {
    EXPECT_EQ(parse_job_id(text), std::nullopt) << "'" << text << "'";
  }
}

}  // namespace
}  // namespace ontime
