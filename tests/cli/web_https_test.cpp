// The web server with TLS: who is let in.
#include <csignal>

#include "cli/certs/certificate_directory.h"
#include "tests/cli/web_fixture.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

class HttpsTest : public WebTest {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // httplib's client writes to a server that has refused its certificate
    ASSERT_TRUE(certs_.make_cluster({"127.0.0.1"}, std::chrono::hours(24), IfThere::Refuse));
    ASSERT_TRUE(others_.make_cluster({"127.0.0.1"}, std::chrono::hours(24), IfThere::Refuse));
  }
  void serve_https(const std::string& token) {
    const std::string directory = certs_.path() + "/master";
    serve({.token = token,
           .https = TlsFiles{directory + "/ca.pem", directory + "/cert.pem", directory + "/key.pem"}});
  }
  // The status, or 0 if there was no answer.
  int status_for(const CertificateDirectory* certs, const httplib::Headers& headers = {}) {
    const std::string directory = certs == nullptr ? "" : certs->path() + "/read-only";
    httplib::SSLClient client("127.0.0.1", port_, certs == nullptr ? "" : directory + "/cert.pem",
                              certs == nullptr ? "" : directory + "/key.pem");
    client.set_ca_cert_path((certs_.path() + "/ca.pem").c_str());
    const auto response = client.Get("/api/nodes", headers);
    return response ? response->status : 0;
  }
  void TearDown() override {
    while (status_for(&certs_) == 0 && thread_.joinable())
      std::this_thread::yield();  // it answers before it is stopped
    server_->stop();
    thread_.join();
  }

  test::TemporaryDirectory directory_;
  CertificateDirectory certs_{directory_ / "certs"};
  CertificateDirectory others_{directory_ / "others"};
};

TEST_F(HttpsTest, WithoutATokenVisitorsShowACertificateOfTheSameAuthority) {
  serve_https("");
  EXPECT_EQ(status_for(&certs_), 200);
  EXPECT_EQ(status_for(nullptr), 0);
  EXPECT_EQ(status_for(&others_), 0);
  EXPECT_FALSE(get("/healthz")) << "plain text is no answer";
}

TEST_F(HttpsTest, WithATokenEitherIsEnough) {
  serve_https("sesame");
  EXPECT_EQ(status_for(&certs_), 200);
  EXPECT_EQ(status_for(nullptr), 401);
  EXPECT_EQ(status_for(nullptr, {{"Authorization", "Bearer sesame"}}), 200);
  EXPECT_EQ(status_for(&others_, {{"Authorization", "Bearer sesame"}}), 0);
}

TEST_F(HttpsTest, ACertificateThatIsNoneIsRefusedAtTheStart) {
  serve_https("");
  const auto refused = WebServer::make({.https = TlsFiles{"none", "none", "none"}}, *view_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("'none'"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace ontime::cli
