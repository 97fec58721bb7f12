// A stream of events, complete and split into single bytes: the events must be equal.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "http/message/sse.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using spindle::http::EventParser;
  using spindle::http::ServerSentEvent;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  EventParser at_once;
  EventParser by_byte;
  std::vector<ServerSentEvent> whole;
  std::vector<ServerSentEvent> pieces;
  require(at_once.feed(text, whole).has_value());
  for (std::size_t at = 0; at < size; ++at) {
    require(by_byte.feed(text.substr(at, 1), pieces).has_value());
  }
  require(whole.size() == pieces.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    require(whole[i].data == pieces[i].data && whole[i].event == pieces[i].event);
    require(whole[i].id == pieces[i].id && whole[i].retry == pieces[i].retry);
    EventParser reader;
    std::vector<ServerSentEvent> again;
    require(reader.feed(spindle::http::formatEvent(whole[i]), again).has_value());
    require(again.size() == 1);
  }
  return 0;
}
