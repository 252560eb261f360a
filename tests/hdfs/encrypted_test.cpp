// Of swebhdfs://, at a server whose certificate an authority has signed that only this test knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include "cli/certs/certificate_directory.h"
#include "common/hdfs/file_system.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/support/temporary_directory.h"

namespace ontime::hdfs {
namespace {

using test::FakeHdfs;
using testing::HasSubstr;

class EncryptedFileSystem : public testing::Test {
 protected:
  EncryptedFileSystem() {
    test::write_file(directory_ / "ca.pem", certify("test", ""));
    hdfs_ = std::make_unique<FakeHdfs>(directory_ / "cert.pem", directory_ / "key.pem");
    hdfs_->put("/a", "hello");
  }
  ~EncryptedFileSystem() override { ::unsetenv("SSL_CERT_FILE"); }
  // Writes PREFIXcert.pem and PREFIXkey.pem, and returns the certificate of the authority that vouches for them. It is
  // valid for longer than they are: a second may pass between the two.
  std::string certify(const std::string& authority_name, const std::string& prefix,
                      const std::string& host = "127.0.0.1") const {
    const auto authority = cli::make_authority(authority_name, std::chrono::hours(2));
    const auto node = cli::make_certificate(*authority, {"node", "", {host}, std::chrono::hours(1)});
    test::write_file(directory_ / (prefix + "cert.pem"), node->certificate);
    test::write_file(directory_ / (prefix + "key.pem"), node->key);
    return authority->certificate;
  }
  void trust_it() const { ::setenv("SSL_CERT_FILE", (directory_ / "ca.pem").c_str(), 1); }
  static http::Patience patience() {
    http::Patience patience;
    patience.pause = std::chrono::milliseconds(1);
    return patience;
  }
  http::Answer<std::string> read_there() const {
    return FileSystem(hdfs_->root(), "tmp/", nullptr, patience()).read("a", 100);
  }

  std::string problem() const {
    const auto read = read_there();
    return read ? "none" : read.error().message;
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<FakeHdfs> hdfs_;
};

TEST_F(EncryptedFileSystem, IsReadAndWritten) {
  trust_it();
  EXPECT_EQ(*read_there(), "hello");
  FileSystem files(hdfs_->root(), "tmp/", nullptr, patience());
  EXPECT_TRUE(files.write("b", http::content_of("more")));
  EXPECT_EQ(hdfs_->files(), "/a=hello /b=more ");
  RemoteFile file(*address_of({hdfs_->root(), "a"}), nullptr, patience());
  const auto state = file.look();
  ASSERT_TRUE(state);
  std::string bytes(3, '\0');
  EXPECT_TRUE(file.read(*state, 1, 3, bytes.data()));
  EXPECT_EQ(bytes, "ell");
}

TEST_F(EncryptedFileSystem, IsNotAskedIfNobodyVouchesForIt) {
  EXPECT_THAT(problem(), HasSubstr("cannot be verified; if an authority"));
  EXPECT_EQ(hdfs_->last_query(), "") << "no request has arrived";
}

TEST_F(EncryptedFileSystem, IsNotAskedIfItsCertificateNamesAnotherHost) {
  test::write_file(directory_ / "ca.pem", certify("test", "", "127.0.0.2"));
  trust_it();
  hdfs_ = std::make_unique<FakeHdfs>(directory_ / "cert.pem", directory_ / "key.pem");
  EXPECT_THAT(problem(), HasSubstr("cannot be verified; if an authority"));
  EXPECT_EQ(hdfs_->last_query(), "") << "no request has arrived";
}

TEST_F(EncryptedFileSystem, AsksAnotherDataNodeThanOneThatNobodyVouchesFor) {
  trust_it();
  certify("other", "other_");
  const FakeHdfs other(directory_ / "other_cert.pem", directory_ / "other_key.pem");
  hdfs_->set_fault([&](int, int server, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (server >= 0 || request.has_param("excludedatanodes")) return false;
    response.set_content(R"({"Location":")" + other.origin() + R"(/webhdfs/v1/a?op=OPEN"})", "application/json");
    return true;
  });
  EXPECT_EQ(problem(), "none");
  EXPECT_EQ(other.last_query(), "") << "no request has arrived";
}

TEST_F(EncryptedFileSystem, SendsNothingToADataNodeThatDoesNotEncrypt) {
  trust_it();
  hdfs_->set_fault([](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
    response.set_content(R"({"Location":"http://127.0.0.1:1/a?op=OPEN"})", "application/json");
    return true;
  });
  EXPECT_THAT(problem(), HasSubstr("names a DataNode that does not encrypt"));
}

}  // namespace
}  // namespace ontime::hdfs
