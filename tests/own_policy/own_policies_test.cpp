// How a file becomes a policy, and what is refused.
#include "master/policies/own_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "master/policies/watched_policy.h"
#include "tests/own_policy/asked_policy.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;
using scheduler::StringMap;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string file(const std::string& name) { return std::string(ONTIME_TEST_POLICIES) + "/" + name + ".so"; }

class OwnPolicies : public testing::Test {
 protected:
  OwnPolicies() { allow_own_policies(Duration::zero()); }

  static std::vector<std::string> notes(const std::string& how, const StringMap& more = {}) {
    StringMap parameters{{"how", how}};
    parameters.insert(more.begin(), more.end());
    return notes_under(file("unruly"), parameters);
  }
  static std::string excuse(const std::string& why) { return excuse_of(file("unruly"), why); }
};

TEST_F(OwnPolicies, AFileIsAPolicyLikeOurs) {
  EXPECT_TRUE(scheduler::check_policy(file("copy_late"), {}));
  EXPECT_TRUE(scheduler::check_policy(file("copy_late"), {{"copies", "2"}, {"budget", "5ms"}, {"as_written", "yes"}}));
  EXPECT_EQ(scheduler::make_policy(file("copy_late"), {})->order(), scheduler::JobOrder::EarliestDeadline);
}

TEST_F(OwnPolicies, ParametersThatItDoesNotTakeAreRefused) {
  EXPECT_THAT(refusal_of(file("copy_late"), {{"coppies", "2"}}), HasSubstr("coppies"));
  EXPECT_THAT(refusal_of(file("copy_late"), {{"copies", "9"}}), HasSubstr("copies"));
}

TEST_F(OwnPolicies, AFileThatIsNoneIsRefusedWithItsPath) {
  EXPECT_EQ(refusal_of(file("nothing")), file("nothing") + " is no policy of ontime: it lacks ONTIME_POLICY(...)");
  EXPECT_THAT(refusal_of(file("outdated")), HasSubstr("outdated.so was built for interface 4000000000-"));
  EXPECT_THAT(refusal_of(file("outdated")), HasSubstr("this program has interface 1-"));
  EXPECT_THAT(refusal_of(file("lost")), HasSubstr("undefined symbol"));
  EXPECT_EQ(refusal_of("/nonexistent/mine.so"),
            "cannot examine the policy /nonexistent/mine.so: No such file or directory");
  EXPECT_THAT(refusal_of("/etc/passwd"), StartsWith("cannot load the policy: /etc/passwd: "));
}

TEST_F(OwnPolicies, AFileThatOthersCouldChangeIsRefused) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path(ONTIME_TEST_POLICIES) / "open_to_all.so";
  fs::copy_file(file("copy_late"), copy, fs::copy_options::overwrite_existing);
  fs::permissions(copy, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(refusal_of(copy.string()),
              HasSubstr("the policy " + copy.string() + " is not run, because others could"));
  fs::remove(copy);
}

TEST_F(OwnPolicies, OneThatCannotStartSaysWhy) {
  EXPECT_EQ(refusal_of(file("unruly"), {{"how", "at-once"}}),
            "the policy " + file("unruly") + " cannot start: out of temper");
}

TEST_F(OwnPolicies, OneThatMisbehavesIsNotAskedAgainAndTheJobIsDone) {
  EXPECT_THAT(notes("not"), ElementsAre());
  EXPECT_THAT(notes("throws"), ElementsAre(excuse("it throws: out of temper")));
  EXPECT_THAT(notes("throws-int"), ElementsAre(excuse("it throws: something that is no std::exception")));
  EXPECT_THAT(notes("names"), ElementsAre(excuse("it names job-99/t00000/a0, which is not there")));
  EXPECT_THAT(notes("many"), ElementsAre(excuse("its plan has more than 100000 parts")));
}

TEST_F(OwnPolicies, ALookMayTakeAsLongAsItsBudget) {
  EXPECT_THAT(notes("slow"), ElementsAre());  // none was given
  EXPECT_THAT(notes("slow", {{"budget", "2ms"}}), ElementsAre(HasSubstr("ms for a look, and may take 2.0 ms")));
}

// Counted in ticks of the watch, of which there is one in a millisecond here.
TEST_F(OwnPolicies, OneThatNeverReturnsEndsTheProgramAndTheNextDoesWithoutIt) {
  namespace fs = std::filesystem;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string notes = file("hung-policies");
  const auto copy = [](const std::string& name) {
    fs::copy_file(file("unruly"), file(name), fs::copy_options::overwrite_existing);
    return file(name);
  };
  const auto hang = [&](const std::string& policy, const StringMap& more) {
    const auto end = [](const std::string& why, bool is_noted) {
      std::fprintf(stderr, "%s\n", why.c_str());
      std::_Exit(is_noted ? 1 : 2);
    };
    end_at_hanging_policies(end, 1ms);
    StringMap parameters{{"how", "hangs"}};
    parameters.insert(more.begin(), more.end());
    notes_under(policy, parameters);
  };
  EXPECT_EXIT(hang(copy("hangs"), {{"budget", "20ms"}}), testing::ExitedWithCode(2),
              "hangs.so has not answered for 200");
  const auto hang_and_note = [&] {
    fs::remove(notes);
    note_hanging_policies_in(notes);
    hang(copy("hangs"), {});
  };
  EXPECT_EXIT(hang_and_note(), testing::ExitedWithCode(1),
              "hangs.so has not answered for 60.0 ms, and this program ends");

  note_hanging_policies_in(notes);
  EXPECT_THAT(notes_under(file("hangs"), {{"how", "hangs"}}),
              ElementsAre(excuse_of(file("hangs"), "it did not return to the master before")));
  fs::last_write_time(file("hangs"), fs::file_time_type::clock::now() - 1h);  // as another one
  EXPECT_THAT(notes_under(file("hangs"), {{"how", "throws"}}), ElementsAre(HasSubstr("it throws: out of temper")));
  fs::remove(notes);
}

}  // namespace
}  // namespace ontime::master
