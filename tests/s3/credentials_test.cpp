#include "common/s3/credentials.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <map>
#include <string>
#include <thread>

#include "common/s3/access.h"
#include "tests/support/temporary_directory.h"

namespace ontime::s3 {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
  return [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

std::string shown(const Result<Credentials>& found) {
  if (!found) return found.error().message;
  if (!found->keys) return "none";
  return found->keys->id + " " + found->keys->secret + " " + found->keys->session_token;
}

std::string shown(const Result<Endpoint>& found) {
  if (!found) return found.error().message;
  return found->scheme + " " + found->host + " " + found->region + (found->has_path_style ? " path" : " host");
}

class CredentialsTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) { test::write_file(home_ / ".aws/" + name, content); }
  Environment with_home(Variables variables = {}) {
    variables["HOME"] = home_.path();
    return environment(variables);
  }
  test::TemporaryDirectory home_;
};

TEST_F(CredentialsTest, AreThoseOfTheEnvironmentFirst) {
  write("credentials", "[default]\naws_access_key_id = file\naws_secret_access_key = s\n");
  EXPECT_EQ(shown(find_credentials(with_home({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "x"}}))),
            "env x ");
  EXPECT_EQ(shown(find_credentials(
                with_home({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "x"}, {"AWS_SESSION_TOKEN", "t"}}))),
            "env x t");
  EXPECT_EQ(shown(find_credentials(with_home({{"AWS_NO_SIGN_REQUEST", "true"}}))), "none");
}

TEST_F(CredentialsTest, AreThoseOfTheProfile) {
  write("credentials",
        "# of a friend\n[default]\naws_access_key_id = a\naws_secret_access_key = b/c+d=\n\n[work]\n"
        "aws_access_key_id=w\naws_secret_access_key=v\naws_session_token=u\n");
  EXPECT_EQ(shown(find_credentials(with_home())), "a b/c+d= ");
  EXPECT_EQ(shown(find_credentials(with_home({{"AWS_PROFILE", "work"}}))), "w v u");
  EXPECT_NE(shown(find_credentials(with_home({{"AWS_PROFILE", "other"}}))).find("There are no keys"),
            std::string::npos);
  write("config", "[profile other]\naws_access_key_id = o\naws_secret_access_key = p\n");
  EXPECT_EQ(shown(find_credentials(with_home({{"AWS_PROFILE", "other"}}))), "o p ");
}

TEST_F(CredentialsTest, ThatAreIncompleteOrUnreadableAreNotGuessed) {
  EXPECT_NE(shown(find_credentials(with_home({{"AWS_ACCESS_KEY_ID", "env"}}))).find("incomplete"), std::string::npos);
  write("credentials", "[default\n");
  EXPECT_NE(shown(find_credentials(with_home())).find("cannot be read"), std::string::npos);
}

TEST_F(CredentialsTest, ComeWithTheEndpointOfAmazonUnlessAnotherIsNamed) {
  EXPECT_EQ(shown(find_endpoint(with_home())), "https s3.us-east-1.amazonaws.com us-east-1 host");
  EXPECT_EQ(shown(find_endpoint(with_home({{"AWS_REGION", "eu-west-3"}}))),
            "https s3.eu-west-3.amazonaws.com eu-west-3 host");
  EXPECT_EQ(shown(find_endpoint(with_home({{"AWS_ENDPOINT_URL", "http://store:9000/"}}))),
            "http store:9000 us-east-1 path");
  write("config",
        "[default]\nregion = here\nendpoint_url = https://store.example\ns3 =\n  addressing_style = virtual\n");
  EXPECT_EQ(shown(find_endpoint(with_home())), "https store.example here host");
  // The usual port is not sent, so it must not be signed.
  for (const char* address : {"http://store:80", "https://store:443/"}) {
    const auto endpoint = find_endpoint(with_home({{"AWS_ENDPOINT_URL", address}}));
    ASSERT_TRUE(endpoint);
    EXPECT_EQ(endpoint->host, "store");
  }
  EXPECT_NE(shown(find_endpoint(with_home({{"AWS_ENDPOINT_URL", "store:9000"}}))).find("no http://"),
            std::string::npos);
}

// A server of some answers.
class Answering {
 public:
  explicit Answering(const std::function<void(httplib::Server&)>& with) {
    with(server_);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Answering() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(CredentialsTest, AreExchangedForAWebIdentity) {
  const Answering sts([](httplib::Server& server) {
    server.Post("/", [](const httplib::Request& request, httplib::Response& response) {
      const bool is_right = request.get_param_value("Action") == "AssumeRoleWithWebIdentity" &&
                            request.get_param_value("RoleArn") == "arn:aws:iam::1:role/x" &&
                            request.get_param_value("WebIdentityToken") == "tok.en+1";
      response.status = is_right ? 200 : 403;
      response.set_content(
          "<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
          "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>i</AccessKeyId><SecretAccessKey>s"
          "</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2031-01-01T00:00:00Z</Expiration>"
          "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>",
          "text/xml");
    });
  });
  test::write_file(home_ / "token", "tok.en+1");
  Variables variables{{"AWS_WEB_IDENTITY_TOKEN_FILE", home_ / "token"},
                      {"AWS_ROLE_ARN", "arn:aws:iam::1:role/x"},
                      {"AWS_ENDPOINT_URL_STS", sts.url()}};
  const auto found = find_credentials(with_home(variables));
  EXPECT_EQ(shown(found), "i s t");
  EXPECT_TRUE(found && found->expire);
  variables["AWS_ROLE_ARN"] = "another";
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("403"), std::string::npos);
}

TEST_F(CredentialsTest, AreTheInstancesOnlyWhereThatIsAsked) {
  const Answering metadata([](httplib::Server& server) {
    server.Put("/latest/api/token", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("secret-token", "text/plain");
    });
    const auto if_asked_well = [](const char* content) {
      return [content](const httplib::Request& request, httplib::Response& response) {
        response.status = request.get_header_value("X-aws-ec2-metadata-token") == "secret-token" ? 200 : 401;
        response.set_content(content, "text/plain");
      };
    };
    server.Get("/latest/meta-data/iam/security-credentials/", if_asked_well("role-1"));
    server.Get(
        "/latest/meta-data/iam/security-credentials/role-1",
        if_asked_well(R"({"AccessKeyId":"m","SecretAccessKey":"n","Token":"o","Expiration":"2031-01-01T00:00:00Z"})"));
  });
  Variables variables{{"AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url()}};
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("There are no keys"), std::string::npos);
  variables["ONTIME_S3_INSTANCE_METADATA"] = "on";
  EXPECT_EQ(shown(find_credentials(with_home(variables))), "m n o");
}

TEST_F(CredentialsTest, AreNotPartOfAnAddress) {
  const Access access(with_home({{"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "very-secret"}}));
  const auto url = access.address({"GET", {"s3://books", "x"}});
  ASSERT_TRUE(url);
  EXPECT_NE(url->target.find("X-Amz-Signature="), std::string::npos);
  EXPECT_EQ(url->target.find("very-secret"), std::string::npos);
}

}  // namespace
}  // namespace ontime::s3
