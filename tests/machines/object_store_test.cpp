// The simulated store, through the client that ships.
#include "tests/machines/object_store.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "common/http/remote_file.h"
#include "common/s3/bucket.h"
#include "tests/machines/small_cluster.h"

namespace ontime::lab::machines::test {
namespace {

using namespace std::chrono_literals;

class SimulatedStore : public testing::Test {
 protected:
  // A client, on another machine than the store.
  void use(const std::function<void(s3::Bucket&)>& what, const http::Patience& patience = {}) {
    small_.run(small_.other, [&] {
      s3::Bucket bucket(access_, "s3://" + std::string(ObjectStore::kBucket), nullptr, patience);
      what(bucket);
    });
  }
  // In this time from now.
  void at(Duration when, std::function<void()> what) { small_.cluster.world.after(when, std::move(what)); }

  SmallCluster small_;
  ObjectStore store_{small_.cluster, small_.one};
  pid_t process_ = store_.start().id();
  const s3::Access access_{[endpoint = store_.endpoint()](const char* name) -> std::string {
    const std::string_view asked = name;
    if (asked == "AWS_ENDPOINT_URL") return endpoint;
    return asked == "AWS_ACCESS_KEY_ID" || asked == "AWS_SECRET_ACCESS_KEY" ? "some" : "";
  }};
};

TEST_F(SimulatedStore, KeepsWhatIsWritten) {
  use([](s3::Bucket& bucket) {
    const std::string key = "a b/\xc3\xa9+?#%&=.txt";
    ASSERT_TRUE(bucket.write(key, http::content_of("hello")));
    EXPECT_EQ(*bucket.read(key, 100), "hello");
    const auto found = bucket.find(key);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->size, 5u);
    EXPECT_FALSE(*bucket.find("nothing"));
    ASSERT_TRUE(bucket.put_in_place({key, 5, ""}, "copy"));
    EXPECT_EQ(*bucket.read("copy", 100), "hello");
    EXPECT_FALSE(bucket.put_in_place({"nothing", 5, ""}, "copy"));
    ASSERT_TRUE(bucket.remove(key));
    EXPECT_FALSE(*bucket.find(key));
    EXPECT_TRUE(bucket.remove(key)) << "again";
  });
}

TEST_F(SimulatedStore, KeepsTheFirstOfTwoThatAreToBeCreated) {
  use([](s3::Bucket& bucket) {
    EXPECT_TRUE(*bucket.create("claim", "mine"));
    EXPECT_FALSE(*bucket.create("claim", "yours"));
    EXPECT_EQ(*bucket.read("claim", 100), "mine");
  });
}

// As AWS does it (409): which of two wins is not known before the first is done.
TEST_F(SimulatedStore, RefusesACreationWhileAnEarlierOneOfTheKeyIsUnderWay) {
  int creations = 0;
  store_.on_request = [&](const HttpRequest& request, std::uint32_t, HttpStore::Moment moment) {
    if (request.method != "PUT" || moment != HttpStore::Moment::Come || ++creations > 1) return;
    World::here()->sleep_until(small_.cluster.world.now() + 3s);
  };
  http::Patience patience;
  patience.tries = 1;
  patience.silence = patience.silence_max = 500ms;
  use(
      [](s3::Bucket& bucket) {
        EXPECT_EQ(bucket.create("claim", "mine").error().status, 0) << "its answer is late";
        EXPECT_EQ(bucket.create("claim", "mine").error().status, 409);
      },
      patience);
  use([](s3::Bucket& bucket) { EXPECT_FALSE(*bucket.create("claim", "yours")); });
  EXPECT_EQ(store_.objects().at("claim").bytes, "mine");
}

TEST_F(SimulatedStore, ListsPageByPageInTheOrderOfKeys) {
  for (const char* key : {"in/b", "in/a", "in/e", "in/d", "in/sub/c", "other"}) store_.put(key, "x");
  use([](s3::Bucket& bucket) {
    std::string keys;
    std::string from;
    std::size_t pages = 0;
    do {
      const auto page = bucket.list_page("in/", from);
      ASSERT_TRUE(page);
      for (const http::Object& object : page->objects) keys += object.key + " ";
      from = page->next;
      ++pages;
    } while (!from.empty());
    EXPECT_EQ(keys, "in/a in/b in/d in/e in/sub/c ");
    EXPECT_EQ(pages, 2u);
  });
}

TEST_F(SimulatedStore, GivesRangesOfOneVersion) {
  store_.put("big", std::string(100'000, 'y') + "end");
  small_.run(small_.other, [&] {
    http::RemoteFile file(*access_.address({"GET", {"s3://" + std::string(ObjectStore::kBucket), "big"}}));
    const auto state = file.look();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->size, 100'003u);
    std::string end(3, '\0');
    ASSERT_TRUE(file.read(*state, 100'000, end.size(), end.data()));
    EXPECT_EQ(end, "end");
    store_.put("big", std::string(100'000, 'z') + "END");
    ASSERT_TRUE(file.read(*state, 0, end.size(), end.data()));
    EXPECT_EQ(end, "yyy") << "it came with the look, and is of that version";
    const auto changed = file.read(*state, 50'000, end.size(), end.data());
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().trouble, http::Trouble::Changed);
  });
}

TEST_F(SimulatedStore, KeepsItsObjectsWhenItIsKilledAndAnswersWhenItIsBack) {
  store_.put("kept", "hello");
  small_.cluster.send_signal(process_, SIGKILL);
  at(3s, [this] { store_.start(); });
  use([](s3::Bucket& bucket) { EXPECT_EQ(*bucket.read("kept", 100), "hello"); });
}

TEST_F(SimulatedStore, RefusesAndIsAskedAgain) {
  store_.trouble.status = 503;
  store_.trouble.refuses = 1;
  at(2s, [this] { store_.trouble.refuses = 0; });
  use([](s3::Bucket& bucket) { EXPECT_TRUE(bucket.write("key", http::content_of("x"))); });
  EXPECT_TRUE(store_.objects().contains("key"));
  store_.trouble.refuses = 1;
  use([](s3::Bucket& bucket) {
    const auto refused = bucket.write("other", http::content_of("x"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, 503);
  });
  EXPECT_FALSE(store_.objects().contains("other"));
}

// In the middle of an answer, and of bytes that are asked for.
TEST_F(SimulatedStore, BreaksOffAndIsAskedForTheRest) {
  store_.put("big", std::string(50'000, 'y'));
  store_.trouble.breaks_off = 0.5;
  small_.run(small_.other, [&] {
    http::RemoteFile file(*access_.address({"GET", {"s3://" + std::string(ObjectStore::kBucket), "big"}}));
    for (int i = 0; i < 20; ++i) {
      std::string bytes(50'000, '\0');
      ASSERT_TRUE(file.read({50'000, store_.objects().at("big").version, true}, 0, bytes.size(), bytes.data()));
      EXPECT_EQ(bytes, std::string(50'000, 'y'));
    }
  });
}

TEST_F(SimulatedStore, DoesALateRequestAndMarksIt) {
  http::Patience patience;
  patience.tries = 1;
  small_.pass(1ms);  // it listens
  small_.cluster.send_signal(process_, SIGSTOP);
  use([](s3::Bucket& bucket) { EXPECT_FALSE(bucket.write("late", http::content_of("x"))); }, patience);
  EXPECT_FALSE(store_.objects().contains("late"));
  small_.cluster.send_signal(process_, SIGCONT);
  small_.pass(10s);
  ASSERT_TRUE(store_.objects().contains("late"));
  EXPECT_TRUE(store_.objects().at("late").is_late);
  use([](s3::Bucket& bucket) { EXPECT_TRUE(bucket.write("late", http::content_of("y"))); });
  EXPECT_FALSE(store_.objects().at("late").is_late);
}

TEST_F(SimulatedStore, TellsItsWatcherWhatHasChanged) {
  std::string changes;
  store_.on_change = [&](const std::string& key, const ObjectStore::Object* before, const ObjectStore::Object* after) {
    changes += key + " " + (before != nullptr ? before->bytes : "-") + (after != nullptr ? after->bytes : "-") + "; ";
  };
  use([](s3::Bucket& bucket) {
    EXPECT_TRUE(bucket.write("a", http::content_of("1")));
    EXPECT_TRUE(bucket.write("a", http::content_of("2")));
    EXPECT_TRUE(bucket.remove("a"));
  });
  EXPECT_EQ(changes, "a -1; a 12; a 2-; ");
}

}  // namespace
}  // namespace ontime::lab::machines::test
