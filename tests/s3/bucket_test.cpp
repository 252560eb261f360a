// Against a store that no one here wrote.
#include "common/s3/bucket.h"

#include <gtest/gtest.h>

#include <map>

#include "common/http/remote_file.h"
#include "tests/support/object_store.h"
#include "tests/support/silent_server.h"

namespace ontime::s3 {
namespace {

class BucketTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::ObjectStore::is_there()) GTEST_SKIP() << "there is no versitygw (scripts/install-dependencies --tests)";
    store_ = std::make_unique<test::ObjectStore>("books");
    access_ = make_access({});
    bucket_ = std::make_unique<Bucket>(*access_, "books");
  }
  std::unique_ptr<Access> make_access(const test::Environment& changes) const {
    auto variables = store_->environment();
    for (const auto& [name, value] : changes) variables[name] = value;
    return std::make_unique<Access>([variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    });
  }

  std::unique_ptr<test::ObjectStore> store_;
  std::unique_ptr<Access> access_;
  std::unique_ptr<Bucket> bucket_;
};

template <class T>
std::string message_of(const http::Answer<T>& answer) {
  return answer ? "nothing is wrong" : answer.error().message;
}

TEST_F(BucketTest, KeepsWhatIsWritten) {
  const std::string key = "a b/\xc3\xa9+?#%&=.txt";
  ASSERT_TRUE(bucket_->write(key, http::content_of("hello")))
      << message_of(bucket_->write(key, http::content_of("hello")));
  EXPECT_EQ(*bucket_->read(key, 100), "hello");
  const auto found = bucket_->find(key);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->size, 5u);
  EXPECT_FALSE((*found)->version.empty());
  EXPECT_FALSE(*bucket_->find("nothing"));
  EXPECT_FALSE(bucket_->read(key, 4)) << "it is longer";
  ASSERT_TRUE(bucket_->put_in_place({key, 5, ""}, "copy"));
  EXPECT_EQ(*bucket_->read("copy", 100), "hello");
  ASSERT_TRUE(bucket_->remove(key));
  EXPECT_FALSE(*bucket_->find(key));
  EXPECT_TRUE(bucket_->remove(key)) << "again";
}

TEST_F(BucketTest, KeepsTheFirstOfTwoThatAreToBeCreated) {
  EXPECT_TRUE(*bucket_->create("claim", "mine"));
  EXPECT_FALSE(*bucket_->create("claim", "yours"));
  EXPECT_EQ(*bucket_->read("claim", 100), "mine");
}

TEST_F(BucketTest, ListsPageByPageInTheOrderOfKeys) {
  for (const char* key : {"in/b", "in/a", "in/sub/c", "other"}) ASSERT_TRUE(bucket_->write(key, http::content_of("x")));
  std::string keys;
  std::string from;
  do {
    const auto page = bucket_->list_page("in/", from, 2);
    ASSERT_TRUE(page) << message_of(page);
    EXPECT_LE(page->objects.size(), 2u);
    for (const http::Object& object : page->objects) keys += object.key + " ";
    from = page->next;
  } while (!from.empty());
  EXPECT_EQ(keys, "in/a in/b in/sub/c ");
}

TEST_F(BucketTest, GivesRangesToWhoHasASignedAddress) {
  ASSERT_TRUE(bucket_->write("big", http::content_of(std::string(100'000, 'y') + "end")));
  const auto url = access_->address({"GET", {"s3://books", "big"}});
  http::RemoteFile file(*url);
  const auto state = file.look();
  ASSERT_TRUE(state) << message_of(state);
  EXPECT_EQ(state->size, 100'003u);
  EXPECT_EQ(state->version, (*bucket_->find("big"))->version);
  std::string bytes(4, '\0');
  ASSERT_TRUE(file.read(*state, 99'999, 4, bytes.data()));
  EXPECT_EQ(bytes, "yend");
  ASSERT_TRUE(bucket_->write("big", http::content_of(std::string(100'003, 'z'))));
  const auto read = file.read(*state, 50'000, 4, bytes.data());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().trouble, http::Trouble::Changed);
}

TEST_F(BucketTest, SaysWhatTheStoreSays) {
  const auto wrong = make_access({{"AWS_SECRET_ACCESS_KEY", "wrong"}});
  Bucket refused(*wrong, "s3://books");
  EXPECT_NE(message_of(refused.list_page("")).find("SignatureDoesNotMatch"), std::string::npos)
      << message_of(refused.list_page(""));
  Bucket missing(*access_, "s3://no-such-bucket");
  EXPECT_NE(message_of(missing.list_page("")).find("NoSuchBucket"), std::string::npos)
      << message_of(missing.list_page(""));
}

TEST(SilentStore, IsLeftAsSoonAsNobodyWaitsAnyMore) {
  test::SilentServer server;
  const std::map<std::string, std::string> variables{{"AWS_ENDPOINT_URL", "http://" + server.address()},
                                                     {"AWS_ACCESS_KEY_ID", "id"},
                                                     {"AWS_SECRET_ACCESS_KEY", "secret"}};
  const Access access([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
  http::Patience patience;
  patience.silence = patience.silence_max = std::chrono::hours(1);
  test::expect_given_up("find", server, 1, [&](const auto* is_over) {
    return Bucket(access, "s3://books", is_over, patience).find("a").has_value();
  });
  test::expect_given_up("write", server, 2, [&](const auto* is_over) {
    return Bucket(access, "s3://books", is_over, patience).write("a", http::content_of("x")).has_value();
  });
  test::expect_given_up("put_in_place", server, 3, [&](const auto* is_over) {
    return Bucket(access, "s3://books", is_over, patience).put_in_place({"a", 1, ""}, "b").has_value();
  });
}

}  // namespace
}  // namespace ontime::s3
