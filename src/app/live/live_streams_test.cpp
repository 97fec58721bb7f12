#include "app/live/live_streams.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

using live::Topic;

/// Reads a body as a session does: it waits for the callback of the stream.
class Reader {
 public:
  explicit Reader(std::shared_ptr<http::PushedBody> body)
      : body_(std::move(body)), signal_(std::make_shared<Signal>()) {
    body_->onReady([signal = signal_] {
      const std::lock_guard lock(signal->mutex);
      signal->ready = true;
      signal->changed.notify_all();
    });
  }
  ~Reader() {
    if (body_ != nullptr) body_->cancel();
  }

  /// Reads until the text contains `part` or the stream ends.
  const std::string& readUntil(std::string_view part) {
    while (!ended_ && text_.find(part) == std::string::npos) step();
    return text_;
  }
  bool readToTheEnd() {
    while (!ended_) step();
    return ended_;
  }
  void leave() { std::exchange(body_, nullptr)->cancel(); }
  void forget() { body_.reset(); }

 private:
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
  };

  void step() {
    std::string chunk;
    switch (body_->next(chunk)) {
      case http::BodyStream::State::kChunk:
        text_ += chunk;
        break;
      case http::BodyStream::State::kWait: {
        std::unique_lock lock(signal_->mutex);
        signal_->changed.wait(lock, [this] { return signal_->ready; });
        signal_->ready = false;
        break;
      }
      default:
        ended_ = true;
    }
  }

  std::shared_ptr<http::PushedBody> body_;
  std::shared_ptr<Signal> signal_;
  std::string text_;
  bool ended_ = false;
};

class LiveStreamsTest : public testing::Test {
 protected:
  LiveStreamsTest()
      : streams_({.changes = log_,
                  .authorize = [this](const std::string& user,
                                      const FollowedTopic& topic) -> Result<std::string> {
                    if (unavailable_) return Error::unavailable("no database");
                    if (user == "stranger" || denied_) return Error::notFound("Project not found");
                    if (topic.name == "acme/new" && !created_) return std::string();
                    return "id of " + topic.name;
                  },
                  .is_valid = [this](const http::Principal& caller) -> Result<bool> {
                    if (unavailable_) return Error::unavailable("no database");
                    return valid_.load() && (caller.session_id != "revoked" || !revoked_.load());
                  },
                  .change_token = [this] { return std::optional<std::uint64_t>(token_); }},
                 {.streams = 3,
                  .streams_per_user = 2,
                  .streams_per_team = 2,
                  .interval = std::chrono::milliseconds(1),
                  .check_interval = std::chrono::hours(1),
                  .changed_check_interval = std::chrono::milliseconds(1),
                  .missing_check_interval = std::chrono::milliseconds(1),
                  .check_limit = std::chrono::milliseconds(5)},
                 metrics_) {
    streams_.start();
  }

  Result<std::shared_ptr<http::PushedBody>> open(const std::string& user = "ada",
                                                 const std::string& topics = "calls:acme/a") {
    http::Principal caller;
    caller.user_id = user;
    return streams_.open(caller, parseTopics(topics).value(), {});
  }
  Reader reader(const std::string& user = "ada", const std::string& topics = "calls:acme/a") {
    return Reader(open(user, topics).value());
  }
  void publish(std::string_view scope, std::int64_t count = 1) {
    log_.publish(Topic::kCalls, scope, count, Timestamp());
  }
  /// Waits until the thread has removed the streams of clients that left.
  void awaitCount(std::size_t count) {
    while (streams_.count() != count) std::this_thread::yield();
  }

  std::atomic<bool> denied_ = false;
  std::atomic<bool> valid_ = true;
  std::atomic<bool> revoked_ = false;  ///< the session `revoked`
  std::atomic<bool> created_ = false;
  std::atomic<bool> unavailable_ = false;
  std::atomic<std::uint64_t> token_ = 1;
  MetricRegistry metrics_;
  live::ChangeLog log_;
  LiveStreams streams_;
};

TEST_F(LiveStreamsTest, DeliverChangesToEveryFollower) {
  Reader first = reader();
  Reader second = reader("bob", "runs:acme/a,calls:acme/a");
  publish("id of acme/other");
  publish("id of acme/a", 5);
  for (Reader* one : {&first, &second}) {
    EXPECT_NE(one->readUntil("\"count\":").find("\"count\":5"), std::string::npos);
  }
}

TEST_F(LiveStreamsTest, DoNotCountChangesBeforeTheFirstStream) {
  publish("id of acme/a", 1000);
  Reader one = reader();
  publish("id of acme/a", 2);
  EXPECT_NE(one.readUntil("\"count\":").find("\"count\":2,"), std::string::npos);
}

TEST_F(LiveStreamsTest, RefuseTopicsWithoutAccess) {
  const auto opened = open("stranger");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(streams_.count(), 0U);
}

TEST_F(LiveStreamsTest, AreLimitedPerUserAndPerServer) {
  Reader first = reader();
  Reader second = reader();
  EXPECT_EQ(open().error().code(), ErrorCode::kRateLimited);
  Reader third = reader("bob");
  EXPECT_EQ(open("eve").error().code(), ErrorCode::kUnavailable);
  first.leave();
  awaitCount(2);
  Reader fourth = reader("eve");
  EXPECT_EQ(streams_.count(), 3U);
}

TEST_F(LiveStreamsTest, AreLimitedPerTeam) {
  http::Principal robot;
  robot.team_id = "acme";
  const auto stream = [&](const char* user) {
    robot.user_id = user;
    return streams_.open(robot, parseTopics("calls:acme/a").value(), {});
  };
  Reader first(stream("one").value());
  Reader second(stream("two").value());
  EXPECT_EQ(stream("three").error().code(), ErrorCode::kRateLimited);
  Reader other = reader("bob");
  other.leave();
  first.leave();
  awaitCount(1);
  Reader third(stream("three").value());
  EXPECT_EQ(streams_.count(), 2U);
}

TEST_F(LiveStreamsTest, ForgetABodyThatNoSessionHolds) {
  Reader one = reader();
  one.forget();
  publish("id of acme/a");
  awaitCount(0);
}

TEST_F(LiveStreamsTest, EndWhenAccessIsLost) {
  Reader one = reader();
  denied_ = true;
  ++token_;
  EXPECT_NE(one.readUntil("closed").find("\"reason\":\"access\""), std::string::npos);
  EXPECT_TRUE(one.readToTheEnd());
  awaitCount(0);
}

TEST_F(LiveStreamsTest, EndWhenTheCredentialIsRevoked) {
  Reader one = reader();
  valid_ = false;
  ++token_;
  EXPECT_NE(one.readUntil("closed").find("\"reason\":\"credential\""), std::string::npos);
  EXPECT_TRUE(one.readToTheEnd());
}

TEST_F(LiveStreamsTest, EndWithTheirOwnSession) {
  http::Principal caller;
  caller.user_id = "ada";
  caller.key_id = "session:ada";
  const auto stream = [&](const char* session_id) {
    caller.session_id = session_id;
    return Reader(streams_.open(caller, parseTopics("calls:acme/a").value(), {}).value());
  };
  Reader kept = stream("kept");
  Reader ended = stream("revoked");
  revoked_ = true;
  ++token_;
  EXPECT_NE(ended.readUntil("closed").find("\"reason\":\"credential\""), std::string::npos);
  EXPECT_TRUE(ended.readToTheEnd());
  awaitCount(1);
  publish("id of acme/a", 2);
  EXPECT_EQ(kept.readUntil("\"count\":").find("closed"), std::string::npos);
}

TEST_F(LiveStreamsTest, EndWhenAccessCannotBeCheckedForLong) {
  Reader one = reader();
  unavailable_ = true;
  std::jthread changes([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) ++token_, std::this_thread::yield();
  });
  EXPECT_NE(one.readUntil("closed").find("\"reason\":\"unverified\""), std::string::npos);
}

TEST_F(LiveStreamsTest, FollowAProjectFromItsCreation) {
  Reader one = reader("ada", "calls:acme/new");
  one.readUntil("ready");
  created_ = true;
  publish("id of acme/new", 3);
  EXPECT_NE(one.readUntil("\"count\":").find("\"count\":3"), std::string::npos);
}

TEST_F(LiveStreamsTest, EndAtStopAndRefuseLaterStreams) {
  Reader one = reader();
  streams_.stop();
  EXPECT_NE(one.readUntil("closed").find("\"reason\":\"shutdown\""), std::string::npos);
  EXPECT_TRUE(one.readToTheEnd());
  EXPECT_EQ(streams_.count(), 0U);
  EXPECT_EQ(open().error().code(), ErrorCode::kUnavailable);
  publish("id of acme/a");
}

TEST_F(LiveStreamsTest, SurviveClientsThatComeAndGoDuringChanges) {
  std::jthread changes([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) publish("id of acme/a"), std::this_thread::yield();
  });
  std::vector<std::jthread> clients;
  for (const char* user : {"ada", "bob", "eve"}) {
    clients.emplace_back([this, user] {
      for (int i = 0; i < 50; ++i) {
        Result<std::shared_ptr<http::PushedBody>> body = open(user);
        if (!body) continue;
        Reader one(*std::move(body));
        one.readUntil("\"count\":");
      }
    });
  }
  clients.clear();
  changes = {};
  streams_.stop();
  EXPECT_EQ(streams_.count(), 0U);
}

}  // namespace
}  // namespace spindle::app
