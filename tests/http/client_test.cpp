#include "common/http/client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>

#include "common/base/descriptor.h"
#include "common/http/url.h"
#include "tests/http/web_server.h"

namespace ontime::http {
namespace {

class ClientTest : public testing::Test {
 protected:
  // What one request comes to, with its content.
  Ending send(Client& client, const Request& request, std::string& content, std::size_t bytes_max = 1000) {
    content.clear();
    TextSink sink(content, bytes_max);
    return client.send(request, [&](const Head& head) {
      head_ = head;
      return &sink;
    });
  }
  Url url() const { return *parse_url(server_.url()); }
  // Gives it a client, once.
  Answer<void> with_client(const std::function<void(Client&)>& work) const {
    Connection connection(url().origin);
    return connection.insist([&](Client& client) -> Try {
      work(client);
      return {};
    });
  }

  test::WebServer server_{"hello"};
  Head head_;
};

TEST_F(ClientTest, AsksAgainOnTheSameConnection) {
  std::set<int> ports;
  server_.set_fault([&ports](int, const httplib::Request& request, httplib::Response&) {
    ports.insert(request.remote_port);
    return false;
  });
  ASSERT_TRUE(with_client([&](Client& client) {
    std::string content;
    for (const char* range : {"bytes=0-0", "bytes=1-3", "bytes=4-4"}) {
      EXPECT_EQ(send(client, {"GET", url().target, {{"Range", range}}}, content), Ending::Whole);
      EXPECT_EQ(head_.status, 206);
      EXPECT_EQ(head_.field("etag"), "\"1\"");
    }
    EXPECT_EQ(content, "o");
  }));
  EXPECT_EQ(ports.size(), 1u);
  EXPECT_EQ(server_.requests(), 3);
}

TEST_F(ClientTest, TakesNoMoreThanIsWanted) {
  ASSERT_TRUE(with_client([&](Client& client) {
    std::string content;
    EXPECT_EQ(send(client, {"GET", url().target}, content, 5), Ending::Whole);
    EXPECT_EQ(content, "hello");
    EXPECT_EQ(send(client, {"GET", url().target}, content, 4), Ending::Unwanted);
    EXPECT_EQ(client.send({"GET", url().target}, [](const Head&) { return nullptr; }), Ending::Unwanted);
  }));
}

TEST_F(ClientTest, GoesToNoProxyThatTheEnvironmentNames) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ASSERT_TRUE(with_client([&](Client& client) {
    std::string content;
    EXPECT_EQ(send(client, {"GET", url().target}, content), Ending::Whole);
    EXPECT_EQ(content, "hello");
  }));
  ::unsetenv("http_proxy");
}

// Through the library, which is C.
TEST_F(ClientTest, PassesOnWhatItsCallersThrow) {
  Patience patience;
  patience.tries = 1;
  Connection connection(url().origin, nullptr, patience);
  const auto asked = connection.insist([&](Client& client) -> Try {
    client.send({"GET", url().target}, [](const Head&) -> Sink* { throw std::runtime_error("no room"); });
    return {};
  });
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().message, "the exchange with the server failed: no room");
}

// The other side has closed by the time that anything is sent.
void send_to_one_that_is_gone() {
  ::signal(SIGPIPE, SIG_DFL);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ::bind(listener.get(), any, size);
  ::listen(listener.get(), 1);
  ::getsockname(listener.get(), any, &size);
  std::promise<void> closed;
  const auto is_closed = closed.get_future().share();
  std::thread server([&] {
    Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    closed.set_value();
  });
  const Content content{1u << 30, [is_closed](std::uint64_t, std::size_t, char*) {
                          is_closed.wait();
                          return true;
                        }};
  Connection connection("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  Ending ending = Ending::Whole;
  static_cast<void>(connection.insist([&](Client& client) -> Try {
    ending = client.send({"PUT", "/x", {}, content}, [](const Head&) { return nullptr; });
    return {};
  }));
  server.join();
  ::_exit(ending == Ending::Broken ? 0 : 1);
}

TEST(ClientDeathTest, AWriteToAServerThatIsGoneEndsNoProcess) {
  EXPECT_EXIT(send_to_one_that_is_gone(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ontime::http
