#include "common/s3/credentials.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <map>
#include <string>

#include "common/s3/access.h"
#include "tests/support/answering.h"
#include "tests/support/temporary_directory.h"

namespace ontime::s3 {
namespace {

using test::Answering;
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

TEST_F(CredentialsTest, AreTheContainers) {
  const Answering agent([](httplib::Server& server) {
    server.Get("/v1/credentials", [](const httplib::Request& request, httplib::Response& response) {
      response.status = request.get_header_value("Authorization") == "pod-token" ? 200 : 401;
      response.set_content(
          R"({"AccessKeyId":"c","SecretAccessKey":"d","Token":"e","Expiration":"2031-01-01T00:00:00Z"})",
          "application/json");
    });
  });
  test::write_file(home_ / "token", "pod-token\n");
  Variables variables{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.url() + "/v1/credentials"},
                      {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", home_ / "token"}};
  const auto found = find_credentials(with_home(variables));
  EXPECT_EQ(shown(found), "c d e");
  EXPECT_TRUE(found && found->expire);
  variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = home_ / "nothing";
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("nothing"), std::string::npos);
  variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://elsewhere.example/x"}};
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("of this machine"), std::string::npos);
}

TEST_F(CredentialsTest, AreWhatAProgramPrints) {
  write("config",
        "[default]\ncredential_process = printf '{\"Version\":1,\"AccessKeyId\":\"p\",\"SecretAccessKey\":\"q\","
        "\"SessionToken\":\"%s\",\"Expiration\":\"2031-01-01T00:00:00Z\"}' \"$((1+2))\"\n"
        "[profile broken]\ncredential_process = echo '{}'; exit 1\n[profile silent]\ncredential_process = true\n");
  const auto found = find_credentials(with_home());
  EXPECT_EQ(shown(found), "p q 3");
  EXPECT_TRUE(found && found->expire);
  EXPECT_NE(shown(find_credentials(with_home({{"AWS_PROFILE", "broken"}}))).find("'broken' failed"), std::string::npos);
  EXPECT_NE(shown(find_credentials(with_home({{"AWS_PROFILE", "silent"}}))).find("gives no keys"), std::string::npos);
}

TEST_F(CredentialsTest, AreThoseOfASingleSignOn) {
  const Answering portal([](httplib::Server& server) {
    server.Get("/federation/credentials", [](const httplib::Request& request, httplib::Response& response) {
      const bool is_right = request.get_header_value("x-amz-sso_bearer_token") == "sso-token" &&
                            request.get_param_value("account_id") == "123" &&
                            request.get_param_value("role_name") == "Reader";
      response.status = is_right ? 200 : 401;
      response.set_content(
          R"({"roleCredentials":{"accessKeyId":"s","secretAccessKey":"t","sessionToken":"u","expiration":1924992000000}})",
          "application/json");
    });
  });
  const std::string session = "[sso-session ours]\nsso_region = here\nsso_start_url = https://ours.example/start\n";
  write("config", session +
                      "[default]\nsso_session = ours\nsso_account_id = 123\nsso_role_name = Reader\n"
                      "[profile old]\nsso_start_url = https://ours.example/start\nsso_region = here\n"
                      "sso_account_id = 123\nsso_role_name = Reader\n");
  const Variables variables{{"AWS_ENDPOINT_URL_SSO", portal.url()}};
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("aws sso login"), std::string::npos);
  // As `printf ours | sha1sum` and `printf https://ours.example/start | sha1sum` name them.
  for (const char* name : {"48537f613ab85111413f2369616ae97481429bd1", "36221886a012a37243402282367742210844a3c4"})
    write(std::string("sso/cache/") + name + ".json",
          R"({"accessToken":"sso-token","expiresAt":"2031-01-01T00:00:00Z"})");
  const auto found = find_credentials(with_home(variables));
  EXPECT_EQ(shown(found), "s t u");
  ASSERT_TRUE(found && found->expire);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*found->expire), 1924992000);
  Variables old = variables;
  old["AWS_PROFILE"] = "old";
  EXPECT_EQ(shown(find_credentials(with_home(old))), "s t u");
  write("sso/cache/48537f613ab85111413f2369616ae97481429bd1.json",
        R"({"accessToken":"sso-token","expiresAt":"2021-01-01T00:00:00Z"})");
  EXPECT_NE(shown(find_credentials(with_home(variables))).find("has expired"), std::string::npos);
}

TEST_F(CredentialsTest, AreThoseOfARoleThatOtherKeysMayTake) {
  const Answering sts([](httplib::Server& server) {
    server.Get("/", [](const httplib::Request& request, httplib::Response& response) {
      const std::string role = request.get_param_value("RoleArn"), by = request.get_param_value("X-Amz-Credential");
      const bool is_right = request.get_param_value("Action") == "AssumeRole" && by.find("/here/sts/") != by.npos &&
                            request.get_param_value("X-Amz-Signature").size() == 64 &&
                            (role == "first" ? by.starts_with("own/") : by.starts_with("first-id/")) &&
                            request.get_param_value("ExternalId") == (role == "first" ? "ext" : "");
      response.status = is_right ? 200 : 403;
      response.set_content("<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>" + role +
                               "-id</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
                               "<Expiration>2031-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>"
                               "</AssumeRoleResponse>",
                           "text/xml");
    });
  });
  write("credentials", "[base]\naws_access_key_id = own\naws_secret_access_key = s\n");
  write(
      "config",
      "[profile one]\nrole_arn = first\nsource_profile = base\nexternal_id = ext\n"
      "[profile two]\nrole_arn = second\nsource_profile = one\n"
      "[profile circle]\nrole_arn = x\nsource_profile = round\n[profile round]\nrole_arn = y\nsource_profile = circle\n"
      "[profile alone]\nrole_arn = x\n");
  const auto keys = [&](const char* profile) {
    return shown(find_credentials(
        with_home({{"AWS_PROFILE", profile}, {"AWS_REGION", "here"}, {"AWS_ENDPOINT_URL_STS", sts.url()}})));
  };
  EXPECT_EQ(keys("one"), "first-id s t");
  EXPECT_EQ(keys("two"), "second-id s t");
  EXPECT_NE(keys("circle").find("has none"), std::string::npos) << keys("circle");
  EXPECT_NE(keys("alone").find("names no source_profile"), std::string::npos) << keys("alone");
}

TEST_F(CredentialsTest, AreNotSentWhereThatIsSwitchedOffInWhicheverCase) {
  for (const char* yes : {"true", "TRUE", "YES", "yes", "1", "On"})
    EXPECT_EQ(shown(find_credentials(with_home({{"AWS_NO_SIGN_REQUEST", yes}}))), "none") << yes;
  EXPECT_NE(shown(find_credentials(with_home({{"AWS_NO_SIGN_REQUEST", "no"}}))), "none");
}

TEST_F(CredentialsTest, ComeWithAnEndpointThatMayHaveAPath) {
  Variables variables{{"AWS_ENDPOINT_URL_S3", "http://h:81/storage/v1/s3/"},
                      {"AWS_ACCESS_KEY_ID", "i"},
                      {"AWS_SECRET_ACCESS_KEY", "s"}};
  const auto url = Access(with_home(variables)).address({"GET", {"s3://books", "a b"}});
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->origin, "http://h:81");
  EXPECT_EQ(url->path, "/storage/v1/s3/books/a%20b");
  EXPECT_EQ(url->target.find("request-payer"), std::string::npos);
  variables["AWS_REQUEST_PAYER"] = "requester";
  EXPECT_NE(Access(with_home(variables))
                .address({"GET", {"s3://books", "x"}})
                ->target.find("&x-amz-request-payer=requester&"),
            std::string::npos);
  variables["AWS_ENDPOINT_URL_S3"] = "http://h/x?y=";
  EXPECT_FALSE(Access(with_home(variables)).address({"GET", {"s3://books", "x"}}));
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
