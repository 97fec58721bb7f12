#include "app/live/live_stream.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/core/time.h"
#include "http/message/sse.h"
#include "identity/types/names.h"
#include "json/writer.h"

namespace spindle::app {
namespace {

constexpr std::size_t kMaxTopicText = 300;
constexpr std::chrono::milliseconds kReconnect{2000};

Error invalidTopics(const std::string& text, std::string_view problem) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("query"), LocStep("topics")};
  violation.msg = "Value error, " + std::string(problem);
  violation.input.clear();
  json::Writer(violation.input).string(std::string_view(text).substr(0, kMaxTopicText));
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

std::string_view takeItem(std::string_view& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view item = text.substr(0, comma);
  text.remove_prefix(std::min(comma + 1, text.size()));
  return item;
}

bool isName(live::Topic topic, std::string_view text) {
  if (live::isOfTeam(topic)) return identity::isTeamName(text);
  const Result<identity::ProjectName> name = identity::splitProjectName(text);
  return name && identity::isTeamName(name->entity) && identity::isProjectName(name->project);
}

std::optional<FollowedTopic> parseTopic(std::string_view item) {
  const std::size_t colon = item.find(':');
  if (colon == std::string_view::npos || item.size() > kMaxTopicText) return std::nullopt;
  const std::optional<live::Topic> topic = live::topicOf(item.substr(0, colon));
  const std::string_view name = item.substr(colon + 1);
  if (!topic || !isName(*topic, name)) return std::nullopt;
  return FollowedTopic{*topic, std::string(name), {}};
}

/// Returns the position in an event id of this log.
std::optional<std::uint64_t> positionIn(std::string_view event_id, const live::ChangeLog& log) {
  const std::string& epoch = log.epoch();
  if (!event_id.starts_with(epoch) || event_id.substr(epoch.size(), 1) != "-") return std::nullopt;
  event_id.remove_prefix(epoch.size() + 1);
  std::uint64_t number = 0;
  const char* const end = event_id.data() + event_id.size();
  const auto [rest, fault] = std::from_chars(event_id.data(), end, number);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::string eventId(const live::ChangeLog& log, std::uint64_t position) {
  return log.epoch() + "-" + std::to_string(position);
}

std::string dataOf(const FollowedTopic& topic, std::int64_t count, Timestamp newest) {
  std::string data;
  json::Writer(data)
      .beginObject()
      .key(live::isOfTeam(topic.topic) ? "team" : "project")
      .string(topic.name)
      .key("count")
      .integer(count)
      .key("newest")
      .string(formatTimestamp(newest))
      .endObject();
  return data;
}

std::string readyEvent(const std::vector<FollowedTopic>& topics, std::string id) {
  std::string data;
  json::Writer out(data);
  out.beginObject().key("topics").beginArray();
  for (const FollowedTopic& topic : topics) out.string(textOf(topic));
  out.endArray().endObject();
  return http::formatEvent({"ready", std::move(id), std::move(data), kReconnect});
}

}  // namespace

std::string textOf(const FollowedTopic& topic) {
  return std::string(live::textOf(topic.topic)) + ":" + topic.name;
}

Result<std::vector<FollowedTopic>> parseTopics(const std::string& text) {
  std::vector<FollowedTopic> topics;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::optional<FollowedTopic> topic = parseTopic(takeItem(rest));
    if (!topic) {
      return invalidTopics(text,
                           "a list such as calls:team/project,deliveries:team expected; topics are "
                           "calls, spans, runs, jobs, evaluations and deliveries");
    }
    const bool known = std::any_of(topics.begin(), topics.end(), [&](const FollowedTopic& other) {
      return other.topic == topic->topic && other.name == topic->name;
    });
    if (!known) topics.push_back(*std::move(topic));
    if (topics.size() > kMaxTopics) {
      return invalidTopics(text, "at most " + std::to_string(kMaxTopics) + " topics");
    }
  }
  if (topics.empty()) return invalidTopics(text, "at least one topic expected");
  return topics;
}

LiveStream::LiveStream(http::Principal caller,
                       std::vector<FollowedTopic> topics,
                       const live::ChangeLog& log,
                       std::string_view last_event_id,
                       Time now)
    : verified_at(now),
      caller_(std::move(caller)),
      topics_(std::move(topics)),
      log_(log),
      body_(std::make_shared<http::PushedBody>(kBufferBytes)),
      sent_at_(now) {
  const std::optional<std::uint64_t> known = positionIn(last_event_id, log);
  const std::uint64_t last = log.last();
  lost_ = !last_event_id.empty() && (!known || *known > last);
  const std::uint64_t position = known ? std::min(*known, last) : last;
  for (FollowedTopic& topic : topics_) topic.position = position;
  push(readyEvent(topics_, eventId(log_, position)), now);
}

/// Returns nothing if the log has forgotten a position.
std::optional<LiveStream::Batch> LiveStream::batch() const {
  struct Merged {
    std::int64_t count = 0;
    Timestamp newest = {};
  };
  std::uint64_t first = log_.last();
  for (const FollowedTopic& topic : topics_) {
    if (!topic.scope_id.empty()) first = std::min(first, topic.position);
  }
  std::vector<Merged> merged(topics_.size());
  const auto visit = [&](std::uint64_t number, const live::Change& change) {
    for (std::size_t i = 0; i < topics_.size(); ++i) {
      const FollowedTopic& topic = topics_[i];
      if (topic.topic != change.topic || topic.scope_id != change.scope_id) continue;
      if (number <= topic.position) continue;
      merged[i].newest =
          merged[i].count == 0 ? change.newest : std::max(merged[i].newest, change.newest);
      merged[i].count += change.count;
    }
  };
  const std::optional<std::uint64_t> last = log_.visitAfter(first, visit);
  if (!last) return std::nullopt;
  std::size_t last_changed = 0;
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    if (merged[i].count != 0) last_changed = i;
  }
  Batch batch{{}, *last};
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    if (merged[i].count == 0) continue;
    // Only the last event has the id: a client that saw a part of the batch gets all of it again.
    batch.events += http::formatEvent({std::string(live::textOf(topics_[i].topic)),
                                       i == last_changed ? eventId(log_, *last) : std::string(),
                                       dataOf(topics_[i], merged[i].count, merged[i].newest),
                                       {}});
  }
  return batch;
}

void LiveStream::moveTo(std::uint64_t position) {
  for (FollowedTopic& topic : topics_) {
    if (!topic.scope_id.empty()) topic.position = position;
  }
}

bool LiveStream::deliver(Time now) {
  const std::optional<Batch> fresh = lost_ ? std::nullopt : batch();
  lost_ = !fresh;
  if (!lost_) {
    if (fresh->events.empty() || push(fresh->events, now)) moveTo(fresh->position);
    return false;
  }
  const std::uint64_t last = log_.last();
  if (!push(http::formatEvent({"resync", eventId(log_, last), "{}", {}}), now)) return false;
  moveTo(last);
  return std::exchange(lost_, false);
}

void LiveStream::beat(Time now) {
  if (now >= nextBeat()) push(http::formatComment(), now);
}

void LiveStream::close(std::string_view reason) {
  std::string data;
  json::Writer(data).beginObject().key("reason").string(reason).endObject();
  body_->tryPush(http::formatEvent({"closed", {}, std::move(data), {}}));
  body_->finish();
}

bool LiveStream::push(std::string_view text, Time now) {
  if (!body_->tryPush(text)) return false;
  sent_at_ = now;
  return true;
}

}  // namespace spindle::app
