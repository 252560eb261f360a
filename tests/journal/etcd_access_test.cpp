// Who is let in to the journal in etcd, and what is said to others.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/certs/certificate_directory.h"
#include "tests/journal/etcd_fixture.h"
#include "tests/support/answering.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

using EtcdAccessTest = EtcdJournalTest;

TEST_F(EtcdAccessTest, RefusesAnotherFormat) {
  start();
  put(layout_.meta(), std::to_string(kJournalFormat + 1) + " cluster");
  EXPECT_NE(refusal().find("it has format 10 and this ontime-master knows formats up to 9"), std::string::npos);
  put(layout_.meta(), "7 cluster");
  EXPECT_NE(refusal().find("let the ontime-master that wrote it finish its jobs"), std::string::npos);
}

TEST_F(EtcdAccessTest, NamesAnEtcdThatTakesOnlySmallRequests) {
  start(1, {"--max-request-bytes", "100000"});
  auto journal = lead();
  ASSERT_TRUE(journal);
  const std::vector<JournalRecord> batch{large_record(3, 200'000)};
  const Status status = journal->append(batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Failed);
  EXPECT_NE(status.error().message.find("--max-request-bytes"), std::string::npos) << status.error().message;
}

TEST_F(EtcdAccessTest, TakesAUserAndItsPasswordAndNamesAWrongOne) {
  start();
  for (const test::Arguments& one :
       std::vector<test::Arguments>{{"user", "add", "root:secret"},
                                    {"user", "grant-role", "root", "root"},
                                    {"user", "add", "master:pa/ss:word"},
                                    {"role", "add", "journal"},
                                    {"role", "grant-permission", "journal", "--prefix=true", "readwrite", "ontime/"},
                                    {"user", "grant-role", "master", "journal"},
                                    {"auth", "enable"}}) {
    const test::Finished done = etcd_->control(one);
    ASSERT_EQ(done.status, 0) << done.err;
  }
  EXPECT_NE(refusal().find("user name is empty"), std::string::npos) << refusal();
  EXPECT_NE(refusal({.user = "master", .password = "wrong"}).find("the user 'master' is not let in: etcd says"),
            std::string::npos);
  const auto elsewhere = parse_etcd_address("etcd://master:pa%2Fss%3Aword@" + etcd_->hosts() + "/elsewhere");
  ASSERT_TRUE(elsewhere);
  const OpenedEtcd opened = EtcdJournal::open(*elsewhere, {});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("permission denied"), std::string::npos) << opened.error().message;
  EXPECT_EQ(opened.error().message.find("word"), std::string::npos) << opened.error().message;
  auto journal = lead({.lease = std::chrono::seconds(60), .user = "master", .password = "pa/ss:word"});
  ASSERT_TRUE(journal);
  append_marks(*journal, 0, 1);
  etcd_->kill(0);  // which knows no token then
  etcd_->start(0);
  const std::vector<JournalRecord> batch{record_of({1, 1})};
  Status status = journal->append(batch);
  EXPECT_TRUE(status || test::eventually([&] { return bool(status = journal->append_again(batch)); }));
  EXPECT_EQ(marks(*journal), first(2));
}

// Of a member that wants a certificate from its clients, too.
TEST_F(EtcdAccessTest, TrustsOnlyWhomItsAuthorityHasSignedAndShowsItsCertificate) {
  const test::TemporaryDirectory directory;
  const auto ours = cli::make_authority("ours", std::chrono::hours(24 * 366)),
             theirs = cli::make_authority("theirs", std::chrono::hours(24 * 366));
  ASSERT_TRUE(ours && theirs);
  const auto server = cli::make_certificate(*ours, {"etcd", "master", {"127.0.0.1", "localhost"}});
  const auto client = cli::make_certificate(*ours, {"ontime", "master", {"127.0.0.1"}});
  ASSERT_TRUE(server && client);
  const auto put_file = [&](const std::string& name, const std::string& pem) {
    test::write_secret(directory / name, pem);
    return directory / name;
  };
  const TlsFiles files{put_file("ca", ours->certificate), put_file("cert", client->certificate),
                       put_file("key", client->key)};
  etcd_ = std::make_unique<test::EtcdCluster>(
      1,
      test::Arguments{"--cert-file", put_file("server", server->certificate), "--key-file",
                      put_file("server-key", server->key), "--trusted-ca-file", files.authority, "--client-cert-auth"},
      test::Arguments{"--cacert", files.authority, "--cert", files.certificate, "--key", files.key});
  auto journal = lead({.tls = files});
  ASSERT_TRUE(journal);
  append_marks(*journal, 0, 2);
  EXPECT_EQ(marks(*journal), first(2));
  const std::string other = put_file("other", theirs->certificate);
  EXPECT_NE(refusal({.tls = {.authority = other, .certificate = files.certificate, .key = files.key}})
                .find("not signed by '" + other + "'"),
            std::string::npos);
  const std::string without = refusal({.tls = {.authority = files.authority}});
  EXPECT_NE(without.find("the connection to https://127.0.0.1"), std::string::npos) << without;
  const std::string missing =
      refusal({.tls = {.authority = files.authority, .certificate = directory / "none", .key = files.key}});
  EXPECT_NE(missing.find("'" + (directory / "none") + "'"), std::string::npos) << missing;
  EXPECT_NE(refusal().find("Cannot open the journal"), std::string::npos);  // without TLS
}

TEST_F(EtcdAccessTest, SaysWhoCannotBeReached) {
  const auto nobody = parse_etcd_address("etcd://127.0.0.1:" + test::free_port() + "/ontime");
  ASSERT_TRUE(nobody);
  const OpenedEtcd opened = EtcdJournal::open(*nobody, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(opened.error().message, "Cannot open the journal in " + nobody->text() + ": the server at http://" +
                                        nobody->hosts[0] + " cannot be reached: nothing listens on that port.");
}

TEST(EtcdJournalOpened, EndsWhereAServerAnswersAndKeepsNothing) {
  const test::Answering server([](httplib::Server& answers) {
    answers.Post(".*", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(R"({"header":{"revision":"1"}})", "application/json");
    });
  });
  const std::string host = server.url().substr(std::string("http://").size());
  const auto opened = EtcdJournal::open(parse_etcd_address("etcd://" + host + "/x").value(), {});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("format"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace ontime::journal
