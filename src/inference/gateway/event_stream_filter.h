#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spindle::inference {

/// A filter of a server-sent event stream on its way to the client. Bytes pass unchanged, with two
/// exceptions. With `hide_usage` it removes the event that only contains the usage; events then
/// pass only when they are complete. It holds back the event `data: [DONE]` and everything after it
/// until finish(), because clients treat that event as the end of the response. Not thread-safe.
class EventStreamFilter {
 public:
  struct Options {
    bool hide_usage = false;
    bool keep_all = false;  ///< keep up to kMostKept bytes, for a trace; otherwise only the end
  };
  static constexpr std::size_t kMostKept = 4UL * 1024 * 1024;
  static constexpr std::size_t kEnd = 32UL * 1024;

  EventStreamFilter() : EventStreamFilter(Options()) {}
  explicit EventStreamFilter(Options options) : options_(options) {}

  /// Processes received bytes. Returns the bytes to send to the client now.
  std::string feed(std::string_view bytes);
  /// Ends the stream. Returns the bytes that were held back.
  std::string finish();

  /// Returns the kept part of the unfiltered stream: all of it or its end.
  const std::string& kept() const { return kept_; }
  /// Returns true if only a part of the stream was kept.
  bool isCut() const { return cut_; }
  /// Returns true if the stream ended with `[DONE]`.
  bool isDone() const;
  bool isEmpty() const { return empty_; }

 private:
  void keep(std::string_view bytes);
  std::string feedEvents();
  std::string feedLines();

  Options options_;
  std::string held_;        ///< an incomplete event or line; after `[DONE]`, the rest of the stream
  bool in_line_ = false;    ///< held_ starts within a line whose start was already sent
  bool held_done_ = false;  ///< held_ starts with the event `[DONE]`
  std::string kept_;
  bool cut_ = false;
  bool empty_ = true;
};

}  // namespace spindle::inference
