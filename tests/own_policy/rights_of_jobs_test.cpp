// Who may have a master load a policy.
#include "master/clients/rights_of_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ontime::master {
namespace {

using testing::Optional;
using testing::StartsWith;

wire::JobSpec job(const std::string& policy) {
  wire::JobSpec request;
  request.mutable_settings()->set_policy(policy);
  return request;
}

net::Guest guest(net::Rights rights) { return {{}, rights, "token of submit", "alice"}; }

const net::Rights kSubmits = net::Rights(net::Right::Read) | net::Right::Submit;

TEST(RightsOfJobs, PoliciesOfOursAreForEverybody) {
  EXPECT_EQ(need_for_code(job("auto"), std::nullopt, guest(kSubmits)), std::nullopt);
  EXPECT_EQ(need_for_code(job(""), std::nullopt, guest(kSubmits)), std::nullopt);  // the master's own
}

TEST(RightsOfJobs, AFileIsForThoseWhoMayHaveTheMasterRunWhatHasItsRights) {
  EXPECT_EQ(need_for_code(job("/a/mine.so"), net::Right::Submit, guest(kSubmits)), std::nullopt);
  EXPECT_EQ(need_for_code(job("/a/mine.so"), net::Right::Control, guest(net::Rights::all())), std::nullopt);
  EXPECT_THAT(need_for_code(job("/a/mine.so"), net::Right::Control, guest(kSubmits)),
              Optional(StartsWith("--policy loads a file with the master's rights and needs the role admin")));
}

TEST(RightsOfJobs, WhereSeveralOwnersComeItIsForNobodyUntilAnAdminSaysSo) {
  EXPECT_THAT(need_for_code(job("/a/mine.so"), std::nullopt, guest(net::Rights::all())),
              Optional(StartsWith("This master loads no policies for jobs; start it with --policy FILE")));
}

}  // namespace
}  // namespace ontime::master
