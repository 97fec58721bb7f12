#include "app/live/live_relay.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "base/core/log.h"
#include "storage/database/database.h"

namespace spindle::app {
namespace {

constexpr Logger kLog("live");
constexpr std::string_view kTopic = "live";
/// In place of changes: some are missing.
constexpr std::string_view kLost = "lost";
constexpr std::size_t kMaxWaiting = live::ChangeLog::kDefaultCapacity;
constexpr std::chrono::milliseconds kInterval{200};
constexpr std::size_t kMaxMessage = storage::Session::kMaxMessage - 200;

/// Removes and returns the text before the next `separator`.
std::string_view nextPart(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<std::int64_t> numberIn(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns `calls PROJECT 3 1700000000000000`.
std::string textOf(const live::Change& change) {
  return std::string(live::textOf(change.topic)) + " " + change.scope_id + " " +
         std::to_string(change.count) + " " + std::to_string(microsOf(change.newest));
}

/// Returns nothing for a topic that a newer version has sent.
std::optional<live::Change> changeIn(std::string_view text) {
  const std::optional<live::Topic> topic = live::topicOf(nextPart(text, ' '));
  const std::string_view scope = nextPart(text, ' ');
  const std::optional<std::int64_t> count = numberIn(nextPart(text, ' '));
  const std::optional<std::int64_t> newest = numberIn(text);
  if (!topic || scope.empty() || !count || !newest) return std::nullopt;
  return live::Change{*topic, std::string(scope), *count, timestampOfMicros(*newest)};
}

}  // namespace

LiveRelay::LiveRelay(storage::Database& database, live::ChangeLog& changes, std::string process)
    : database_(database), changes_(changes), process_(std::move(process)) {
  database.subscribe(kTopic, [this](std::string_view text) { receive(text); });
}

LiveRelay::~LiveRelay() { stop(); }

void LiveRelay::start() {
  if (database_.engine() == storage::Engine::kSqlite) return;
  changes_.setForwarder([this](const live::Change& change) { add(change); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void LiveRelay::stop() {
  if (!thread_.joinable()) return;
  changes_.setForwarder({});
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.request_stop();
  thread_.join();
}

void LiveRelay::add(const live::Change& change) {
  const MutexLock lock(mutex_);
  if (waiting_.empty()) changed_.notifyAll();
  const auto found = waiting_.find(Key(change.topic, change.scope_id));
  if (found != waiting_.end()) {
    found->second.count += change.count;
    found->second.newest = std::max(found->second.newest, change.newest);
  } else if (waiting_.size() < kMaxWaiting) {
    waiting_.emplace(Key(change.topic, change.scope_id), change);
  } else {
    lost_ = true;
  }
}

void LiveRelay::receive(std::string_view text) {
  // Without a text, the connection was lost for a while.
  if (text.empty()) return changes_.loseRemote();
  if (nextPart(text, ';') == process_) return;
  while (!text.empty()) {
    const std::string_view part = nextPart(text, ';');
    if (part == kLost) {
      changes_.loseRemote();
    } else if (const std::optional<live::Change> change = changeIn(part)) {
      changes_.addRemote(*change);
    }
  }
}

void LiveRelay::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !lost_ && !stopping_) changed_.wait(mutex_);
    }
    send(takeMessages());
    // Later changes gather meanwhile.
    const auto end = std::chrono::steady_clock::now() + kInterval;
    const MutexLock lock(mutex_);
    while (!stopping_) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left.count() <= 0) break;
      changed_.waitFor(mutex_, left);
    }
  }
}

std::vector<std::string> LiveRelay::takeMessages() {
  std::map<Key, live::Change> changes;
  bool lost = false;
  {
    const MutexLock lock(mutex_);
    changes.swap(waiting_);
    lost = std::exchange(lost_, false);
  }
  std::vector<std::string> messages;
  std::string message = process_;
  if (lost) message.append(";").append(kLost);
  for (const auto& [key, change] : changes) {
    message += ";" + textOf(change);
    if (message.size() < kMaxMessage) continue;
    messages.push_back(std::exchange(message, process_));
  }
  if (message.size() > process_.size()) messages.push_back(std::move(message));
  return messages;
}

void LiveRelay::send(const std::vector<std::string>& messages) {
  if (messages.empty()) return;
  const Result<void> sent = database_.writeUncached([&](storage::Session& session) -> Result<void> {
    for (const std::string& message : messages) TRY(session.notify(kTopic, message));
    return {};
  });
  if (sent) return;
  kLog.warning("changes_not_sent", {{"reason", sent.error().message()}});
  const MutexLock lock(mutex_);
  lost_ = true;
}

}  // namespace spindle::app
