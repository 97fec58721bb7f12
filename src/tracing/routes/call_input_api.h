#pragma once

#include <string>
#include <variant>
#include <vector>

#include "schema/type.h"
#include "tracing/ingest/call_ingest.h"

namespace spindle::tracing {

// Request bodies of calls. Unknown members are ignored, because SDKs send undocumented ones.

struct StartBody {
  StartInput start;
};
struct EndBody {
  EndInput end;
};

struct BatchStart {
  std::string mode = "start";
  StartBody req;
};
struct BatchEnd {
  std::string mode = "end";
  EndBody req;
};
struct UpsertBatchBody {
  std::vector<std::variant<BatchStart, BatchEnd>> batch;
};

struct CompleteBatchBody {
  std::vector<CompleteInput> batch;
};

/// Codecs that describe rules of calls. checkCallId() and checkDisplayName() enforce them, with
/// 400.
schema::Codec<std::string> callIdCodec();
schema::Codec<std::string> displayNameCodec();

schema::Codec<StartBody> startBodyCodec();
schema::Codec<EndBody> endBodyCodec();
schema::Codec<UpsertBatchBody> upsertBatchCodec();
schema::Codec<CompleteBatchBody> completeBatchCodec();

}  // namespace spindle::tracing
