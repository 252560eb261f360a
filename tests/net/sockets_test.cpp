#include "common/net/sockets.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "tests/net/net_fixture.h"

namespace ontime::net {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

using ListenTest = NetTest;

TEST_F(ListenTest, OnlyLoopbackAddressesAreAccepted) {
  for (const char* host : {"0.0.0.0", "::", "192.0.2.1", "::ffff:127.0.0.1"}) {
    const auto acceptor = listen(io_.get_executor(), {host, 0});
    ASSERT_FALSE(acceptor) << host;
    EXPECT_EQ(acceptor.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(acceptor.error().message,
              "cannot listen on " + to_string(Endpoint{host, 0}) +
                  ", which is no loopback address, without TLS and a token: make certificates with 'ontime certs init' "
                  "and 'ontime certs node NAME', and give --tls-ca, --tls-cert, --tls-key and --token-file");
  }
  EXPECT_TRUE(listen(io_.get_executor(), {"127.0.0.1", 0}));
  EXPECT_TRUE(listen(io_.get_executor(), {"127.9.9.9", 0}));
  EXPECT_TRUE(listen(io_.get_executor(), {"localhost", 0}));
}

TEST_F(ListenTest, AnyNetworkIsAcceptedWhenItIsAllowed) {
  const auto acceptor = listen(io_.get_executor(), {"0.0.0.0", 0}, Reach::AnyNetwork);
  ASSERT_TRUE(acceptor);
  EXPECT_TRUE(acceptor->local_endpoint().address().is_unspecified());
}

TEST_F(ListenTest, APortInUseIsNamed) {
  const auto first = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(first);
  const auto port = first->local_endpoint().port();
  const auto second = listen(io_.get_executor(), {"127.0.0.1", port});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::Unavailable);
  EXPECT_NE(second.error().message.find("port " + std::to_string(port) + " of 127.0.0.1 is in use"), std::string::npos)
      << second.error().message;
}

TEST_F(ListenTest, AListenerOfTheParentIsTakenOver) {
  auto parents = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(parents);
  const auto port = parents->local_endpoint().port();
  const auto adopted = adopt_listener(io_.get_executor(), parents->release());
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_EQ(adopted->local_endpoint().port(), port);
}

TEST_F(ListenTest, DescriptorsThatDoNotListenAreRefused) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  tcp::socket idle(io_, tcp::v4());
  asio::io_context other;
  asio::local::stream_protocol::socket left(other), right(other);
  asio::local::connect_pair(left, right);
  for (const int descriptor : {-1, 987654, ends[0], idle.native_handle(), left.native_handle()}) {
    const auto acceptor = adopt_listener(io_.get_executor(), descriptor);
    ASSERT_FALSE(acceptor) << descriptor;
    EXPECT_EQ(acceptor.error().kind, ErrorKind::BadInput);
    EXPECT_NE(acceptor.error().message.find("descriptor " + std::to_string(descriptor)), std::string::npos);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ListenTest, AnAdoptedListenerMustBeOnLoopbackToo) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(::listen(descriptor, 1), 0);  // binds to all addresses
  const auto acceptor = adopt_listener(io_.get_executor(), descriptor);
  ASSERT_FALSE(acceptor);
  EXPECT_NE(acceptor.error().message.find("no loopback address"), std::string::npos);
  ::close(descriptor);
}

class ConnectTest : public NetTest {
 protected:
  asio::awaitable<void> try_connect(Endpoint endpoint, Duration limit) {
    result_.emplace(co_await connect(std::move(endpoint), limit));
  }

  void connect_and_run(Endpoint endpoint, Duration limit) {
    spawn(try_connect(std::move(endpoint), limit));
    run();
  }

  std::optional<Result<tcp::socket>> result_;
};

TEST_F(ConnectTest, ReachesAListenerByNumberAndByName) {
  const auto acceptor = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(acceptor);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    connect_and_run({host, acceptor->local_endpoint().port()}, 30s);
    ASSERT_TRUE(*result_) << result_->error().message;
    EXPECT_TRUE((*result_)->is_open());
  }
}

TEST_F(ConnectTest, ARefusedConnectionIsUnavailableAndNamesTheEndpoint) {
  auto acceptor = listen(io_.get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(acceptor);
  const Endpoint gone{"127.0.0.1", acceptor->local_endpoint().port()};
  acceptor->close();
  connect_and_run(gone, 30s);
  ASSERT_FALSE(*result_);
  EXPECT_EQ(result_->error().kind, ErrorKind::Unavailable);
  EXPECT_NE(result_->error().message.find(to_string(gone)), std::string::npos) << result_->error().message;
}

TEST_F(ConnectTest, SilenceEndsWithTheLimit) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  ASSERT_EQ(::listen(acceptor.native_handle(), 0), 0);  // room for one; the kernel drops the next one's packets
  tcp::socket first(io_);
  first.connect(acceptor.local_endpoint());
  const Endpoint full{"127.0.0.1", acceptor.local_endpoint().port()};
  connect_and_run(full, 20ms);
  ASSERT_FALSE(*result_);
  EXPECT_EQ(result_->error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(result_->error().message, to_string(full) + " does not answer within the time allowed");
}

}  // namespace
}  // namespace ontime::net
