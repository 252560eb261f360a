// Servers that redirect, encode or tell no size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "common/http/client.h"
#include "common/http/remote_file.h"
#include "tests/http/web_server.h"

namespace ontime::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Patience patience() {
  Patience patience;
  patience.silence = 5s;  // longer than a busy machine is
  patience.pause = 1ms;
  return patience;
}

class OddServer : public testing::Test {
 protected:
  Url url(const std::string& name = "file") const { return *parse_url(server_.url(name)); }
  RemoteFile file(const std::string& name = "file") const { return RemoteFile(url(name), nullptr, patience()); }

  // Each file-N leads to file-(N-1), and "file" is there.
  void redirect(const std::string& to = "") {
    server_.set_fault([to](int, const httplib::Request& request, httplib::Response& response) {
      const std::string name = request.path.substr(1);
      if (name == "file") return false;
      const int left = std::stoi(name.substr(5)) - 1;
      response.status = 302;
      response.set_header("Location", !to.empty() ? to : left == 0 ? "/file" : "file-" + std::to_string(left));
      return true;
    });
  }

  // Any number of bytes, whose end is the end of the answer.
  void tell_no_size(const std::string& content) {
    server_.set_fault([content](int, const httplib::Request& request, httplib::Response& response) {
      const_cast<httplib::Request&>(request).ranges.clear();
      response.status = 200;
      response.set_chunked_content_provider("text/plain", [content](std::size_t, httplib::DataSink& sink) {
        if (!content.empty()) sink.write(content.data(), content.size());
        sink.done();
        return true;
      });
      return true;
    });
  }

  static std::string whole(RemoteFile& file, const State& state) {
    std::string bytes;
    const auto done = file.read_whole(state, [&](std::string_view more) {
      bytes += more;
      return true;
    });
    return done ? bytes : "failed: " + done.error().message;
  }

  test::WebServer server_{test::some_bytes(100'000)};
};

TEST_F(OddServer, IsFollowedWhereItRedirects) {
  redirect();
  RemoteFile moved = file("file-3");
  const auto looked = moved.look();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(*looked, (State{100'000, "\"1\""}));
  EXPECT_EQ(looked->moved_to, server_.url("file"));
  EXPECT_EQ(file().look()->moved_to, "");
  std::string bytes(1000, '\0');
  ASSERT_TRUE(moved.read(*looked, 50'000, bytes.size(), bytes.data()));
  EXPECT_TRUE(bytes == server_.content().substr(50'000, 1000));
  RemoteFile unlooked = file("file-2");
  ASSERT_TRUE(unlooked.read(*looked, 50'000, bytes.size(), bytes.data()));
  EXPECT_TRUE(bytes == server_.content().substr(50'000, 1000));
}

TEST_F(OddServer, IsNotFollowedForEver) {
  redirect();
  EXPECT_TRUE(file("file-5").look());
  const auto looked = file("file-6").look();
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().trouble, Trouble::Refused);
  EXPECT_THAT(looked.error().message, HasSubstr("redirects more than 5 times"));
}

TEST_F(OddServer, IsNotFollowedToWhatIsNoFile) {
  for (const char* to : {"ftp://host/x", "http://user:password@host/x", "http://127.0.0.1/a/../b", "http:///x"}) {
    redirect(to);
    const auto looked = file("file-1").look();
    ASSERT_FALSE(looked) << to;
    EXPECT_THAT(looked.error().message, HasSubstr("302"));
    EXPECT_THAT(looked.error().message, testing::Not(HasSubstr("password@")));
  }
}

TEST_F(OddServer, IsAskedAnewForAnAddressThatHasExpired) {
  std::string now = "file-a";
  server_.set_fault([&now](int, const httplib::Request& request, httplib::Response& response) {
    const std::string name = request.path.substr(1);
    if (name == now) return false;
    response.status = name == "file-it" ? 307 : 403;
    if (name == "file-it") response.set_header("Location", now);
    return true;
  });
  RemoteFile moved = file("file-it");
  const auto looked = moved.look();
  ASSERT_TRUE(looked) << looked.error().message;
  now = "file-b";
  std::string bytes(1000, '\0');
  const auto read = moved.read(*looked, 50'000, bytes.size(), bytes.data());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(bytes == server_.content().substr(50'000, 1000));
}

TEST_F(OddServer, OfAStoreIsNotFollowed) {
  redirect();
  RemoteFile kept(url("file-1"), nullptr, patience(), RemoteFile::Redirects::Refused);
  const auto looked = kept.look();
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().message, HasSubstr("302"));
}

TEST_F(OddServer, ThatIsNearIsNotAskedForAPublicOne) {
  Connection connection(url().origin, nullptr, patience());
  Client client(url().origin, connection);
  bool has_answered = false;
  const auto ending = client.send({.target = "/file", .is_for_public = true}, [&](const Head&) {
    has_answered = true;
    return nullptr;
  });
  EXPECT_EQ(ending, Ending::Private);
  EXPECT_FALSE(has_answered);
  EXPECT_EQ(failure_of(ending, url().origin).trouble, Trouble::Refused);
  EXPECT_EQ(server_.requests(), 0);
  bool is_near = false;
  const auto asked = connection.insist([&](Client& other) -> Try {
    static_cast<void>(other.send({.target = "/file"}, [&](const Head& head) {
      is_near = head.is_private;
      return nullptr;
    }));
    return {};
  });
  EXPECT_TRUE(asked && is_near);
}

TEST(PrivateAddress, IsOneThatOnlyThoseWhoAreNearCanReach) {
  for (const char* address : {"127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
                              "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1",
                              "fd00::1", "::ffff:10.0.0.1", "2002:a00:1::", "64:ff9b::a00:1", "", "no address"})
    EXPECT_TRUE(is_private_address(address)) << address;
  for (const char* address : {"8.8.8.8", "172.32.0.1", "192.167.1.1", "100.128.0.1", "2a00:1450::1", "::ffff:8.8.8.8"})
    EXPECT_FALSE(is_private_address(address)) << address;
}

TEST(Redirected, LeadsToAnAddressOnThatServerOrAnother) {
  const Url from = *parse_url("https://host:8443/a/b?c=d");
  const auto to = [&](const char* location) {
    const auto url = redirected(from, location);
    return url ? url->origin + url->target : "none";
  };
  EXPECT_EQ(to("https://other/x?y#z"), "https://other/x?y");
  EXPECT_EQ(to("//other/x"), "https://other/x");
  EXPECT_EQ(to("/x"), "https://host:8443/x");
  EXPECT_EQ(to("x?to=http://y"), "https://host:8443/a/x?to=http://y");
  EXPECT_EQ(to("?x"), "https://host:8443/a/b?x");
  EXPECT_EQ(to("/../x"), "none");
  EXPECT_EQ(to("file:///etc/passwd"), "none");
}

// Its bytes are not those of the file.
TEST_F(OddServer, ThatEncodesThoughItIsAskedNotToIsRefused) {
  std::string encoding;
  server_.set_fault([&encoding](int, const httplib::Request&, httplib::Response& response) {
    response.set_header("Content-Encoding", encoding);
    return false;
  });
  for (const char* unread : {"br", "deflate", "zstd", "gzip, br"}) {
    encoding = unread;
    const auto looked = file().look();
    ASSERT_FALSE(looked) << unread;
    EXPECT_EQ(looked.error().trouble, Trouble::Refused);
    EXPECT_THAT(looked.error().message, HasSubstr(std::string("encoded as ") + unread));
  }
  for (const char* stored : {"gzip", "identity"}) {  // the first is what servers call a file that is stored so
    encoding = stored;
    EXPECT_TRUE(file().look()) << stored;
  }
}

TEST_F(OddServer, ThatTellsNoSizeIsReadToTheEndForThat) {
  for (const std::string& content : {std::string("a b c\n"), test::some_bytes(300'000), std::string()}) {
    tell_no_size(content);
    const auto looked = file().look();
    ASSERT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(looked->size, content.size());
    EXPECT_FALSE(looked->has_parts);
    RemoteFile again = file();
    EXPECT_TRUE(whole(again, *looked) == content);
  }
}

TEST_F(OddServer, ThatTellsNoSizeIsFoundOutIfTheFileGrowsOrShrinks) {
  tell_no_size("four");
  const auto looked = file().look();
  ASSERT_TRUE(looked) << looked.error().message;
  for (const char* changed : {"longer", "fou"}) {
    tell_no_size(changed);
    std::string bytes;
    const auto done = file().read_whole(*looked, [&](std::string_view more) {
      bytes += more;
      return true;
    });
    ASSERT_FALSE(done) << changed;
    EXPECT_EQ(done.error().trouble, Trouble::Changed);
    EXPECT_LE(bytes.size(), 4u);
  }
}

TEST_F(OddServer, ThatSendsPartsWithoutASizeIsAskedForAll) {
  server_.set_fault([&](int, const httplib::Request& request, httplib::Response& response) {
    if (!request.has_header("Range")) return false;
    const_cast<httplib::Request&>(request).ranges.clear();
    response.status = 206;
    response.set_header("Content-Range", "bytes 0-0/*");
    response.set_content("x", "text/plain");
    return true;
  });
  const auto looked = file().look();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_EQ(looked->size, 100'000u);
  EXPECT_FALSE(looked->has_parts);
}

TEST(SmallFile, ComesWithTheLookAtIt) {
  test::WebServer server("12345678");
  RemoteFile file(*parse_url(server.url()), nullptr, patience());
  const auto looked = file.look();
  ASSERT_TRUE(looked) << looked.error().message;
  std::string bytes(6, '\0');
  ASSERT_TRUE(file.read(*looked, 2, 6, bytes.data()));
  EXPECT_EQ(bytes, "345678");
  EXPECT_FALSE(file.has_costly_requests());
  EXPECT_EQ(*file.look(), *looked);
  EXPECT_EQ(server.requests(), 1);
  State other = *looked;
  other.version = "\"2\"";
  EXPECT_FALSE(file.read(other, 0, 8, bytes.data()));
}

}  // namespace
}  // namespace ontime::http
