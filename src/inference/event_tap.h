#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spindle::inference {

/// Looks at a stream of events on its way to the client. Bytes go on as they came; only the event
/// that tells the usage is left out when the client did not ask for it, and then an event goes on
/// when it is whole. The event `data: [DONE]` and everything behind it are held back until
/// finish(): clients take that event for the end of the answer. One thread at a time.
class EventTap {
 public:
  struct Options {
    bool hide_usage = false;
    bool keep_all = false;  ///< up to kMostKept bytes, for a trace; else the end alone
  };
  static constexpr std::size_t kMostKept = 4UL * 1024 * 1024;
  static constexpr std::size_t kEnd = 32UL * 1024;

  EventTap() : EventTap(Options()) {}
  explicit EventTap(Options options) : options_(options) {}

  /// What goes on now.
  std::string feed(std::string_view bytes);
  /// What was still held back, at the end of the stream.
  std::string finish();

  /// What was kept, of the stream as it came: all of it, or its end.
  const std::string& kept() const { return kept_; }
  /// Not all could be kept.
  bool isCut() const { return cut_; }
  /// The stream said that it is over.
  bool isDone() const;
  bool isEmpty() const { return empty_; }

 private:
  void keep(std::string_view bytes);
  std::string feedEvents();
  std::string feedLines();

  Options options_;
  std::string held_;        ///< the beginning of an event or a line; from `[DONE]` on, the end
  bool in_line_ = false;    ///< held_ begins within a line whose beginning has gone on
  bool held_done_ = false;  ///< held_ begins with the event `[DONE]`
  std::string kept_;
  bool cut_ = false;
  bool empty_ = true;
};

}  // namespace spindle::inference
