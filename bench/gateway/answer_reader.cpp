#include "gateway/answer_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace spindle::bench {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEvent = "\ndata:";

}  // namespace

void AnswerReader::reset() {
  state_ = State::kHead;
  line_.clear();
  left_ = 0;
  status_ = 0;
  events_ = 0;
  matched_ = 1;  // a body begins like a line
}

std::size_t AnswerReader::feed(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::kDone && state_ != State::kBroken) {
    const std::string_view rest = bytes.substr(taken);
    if (state_ == State::kHead) {
      taken += readHead(rest);
    } else if (state_ == State::kSized || state_ == State::kChunk) {
      const std::size_t part = std::min(left_, rest.size());
      countEvents(rest.substr(0, part));
      left_ -= part;
      taken += part;
      if (left_ == 0) state_ = state_ == State::kSized ? State::kDone : State::kChunkEnd;
    } else {
      readLine(rest.front());
      taken += 1;
    }
  }
  return taken;
}

std::size_t AnswerReader::readHead(std::string_view bytes) {
  const std::size_t before = line_.size();
  line_.append(bytes);
  const std::size_t from = before < kEndOfHead.size() ? 0 : before - kEndOfHead.size();
  const std::size_t end = line_.find(kEndOfHead, from);
  if (end == std::string::npos) return bytes.size();
  line_.resize(end + kEndOfHead.size());
  const std::size_t taken = line_.size() - before;
  readHeadFields();
  return taken;
}

void AnswerReader::readHeadFields() {
  // A request has a method where a response has its version; only the length of a request matters.
  if (line_.size() > 12 && line_.compare(0, 5, "HTTP/") == 0) status_ = std::atoi(&line_[9]);
  const char* length = strcasestr(line_.c_str(), "\r\ncontent-length:");
  if (length != nullptr) {
    left_ = std::strtoull(length + std::strlen("\r\ncontent-length:"), nullptr, 10);
    state_ = left_ == 0 ? State::kDone : State::kSized;
  } else if (strcasestr(line_.c_str(), "\r\ntransfer-encoding: chunked") != nullptr) {
    state_ = State::kChunkSize;
  } else {
    state_ = status_ == 0 ? State::kDone : State::kBroken;
  }
  line_.clear();
  matched_ = 1;
}

void AnswerReader::readLine(char c) {
  if (c != '\n') {
    line_.push_back(c);
    return;
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  endLine();
  line_.clear();
}

void AnswerReader::endLine() {
  switch (state_) {
    case State::kChunkSize:
      left_ = std::strtoull(line_.c_str(), nullptr, 16);
      state_ = left_ == 0 ? State::kTrailer : State::kChunk;
      break;
    case State::kChunkEnd:
      state_ = State::kChunkSize;
      break;
    case State::kTrailer:
      if (line_.empty()) state_ = State::kDone;
      break;
    default:
      state_ = State::kBroken;
  }
}

void AnswerReader::countEvents(std::string_view body) {
  for (const char c : body) {
    if (c == kEvent[matched_]) {
      if (++matched_ < kEvent.size()) continue;
      events_ += 1;
      matched_ = 0;
    } else {
      matched_ = c == '\n' ? 1 : 0;
    }
  }
}

}  // namespace spindle::bench
