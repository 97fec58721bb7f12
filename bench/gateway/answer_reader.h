#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spindle::bench {

/// Parses the HTTP/1.1 messages of one connection as far as a measurement needs it: where a message
/// begins and ends, its status, and the number of events in its body. Does not store bodies.
class AnswerReader {
 public:
  /// Parses received bytes. @return how many of them belong to the current message.
  std::size_t feed(std::string_view bytes);
  /// Resets the reader for the next message.
  void reset();

  bool done() const { return state_ == State::kDone; }
  /// True if the bytes are not valid HTTP/1.1.
  bool broken() const { return state_ == State::kBroken; }
  bool hasHead() const { return state_ != State::kHead; }
  int status() const { return status_; }
  /// Number of lines that begin with `data:`.
  std::uint64_t events() const { return events_; }

 private:
  enum class State { kHead, kSized, kChunkSize, kChunk, kChunkEnd, kTrailer, kDone, kBroken };

  std::size_t readHead(std::string_view bytes);
  void readHeadFields();
  void readLine(char c);
  void endLine();
  void countEvents(std::string_view body);

  State state_ = State::kHead;
  std::string line_;  ///< the head so far, or the line of a chunk's size
  std::size_t left_ = 0;
  int status_ = 0;
  std::uint64_t events_ = 0;
  std::size_t matched_ = 1;  ///< of `\ndata:`; a body begins like a line
};

}  // namespace spindle::bench
