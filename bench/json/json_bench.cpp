// The cost of parsing a request, compared with simdjson: the same bytes parsed by simdjson's DOM
// alone, by simdjson with manual extraction of members and no validation, by Spindle's document
// index, and into a complete record with every rule checked.

#include <cstdio>
#include <string>

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include "json/document.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace {

using namespace spindle;          // NOLINT(google-build-using-namespace): one short program
using namespace spindle::schema;  // NOLINT(google-build-using-namespace)

struct Call {
  std::string id;
  std::string project_id;
  std::string op_name;
  std::string trace_id;
  std::optional<std::string> parent_id;
  Timestamp started_at;
  json::Text attributes;
  json::Text inputs;
};
struct Batch {
  std::vector<Call> batch;
};

const Codec<Batch>& batchCodec() {
  static const Codec<Batch> codec =
      Record<Batch>("Batch")
          .required("batch", &Batch::batch,
                    list(Record<Call>("Call")
                             .required("id", &Call::id, string({.max_length = 128}), "")
                             .required("project_id", &Call::project_id, string(), "")
                             .required("op_name", &Call::op_name, string(), "")
                             .required("trace_id", &Call::trace_id, string(), "")
                             .optional("parent_id", &Call::parent_id, nullable(string()), "")
                             .required("started_at", &Call::started_at, dateTime(), "")
                             .required("attributes", &Call::attributes, jsonObject(), "")
                             .required("inputs", &Call::inputs, jsonObject(), "")
                             .codec()),
                    "")
          .codec();
  return codec;
}

/// A batch of a tracing client: about twenty short members and a chat history per call.
std::string sampleBatch(int calls) {
  std::string text = R"({"batch":[)";
  for (int i = 0; i < calls; ++i) {
    if (i > 0) text += ',';
    text +=
        R"({"id":"018f3398-c100-7abc-8def-0123456789ab","project_id":"team/project",)"
        R"("op_name":"svc:///team/project/op/chat:v3","trace_id":"018f3398-c100-7abc-8def-0123456789ab",)"
        R"("parent_id":null,"started_at":"2024-05-01T10:00:00.250000Z","attributes":{"svc":{"client_version":)"
        R"("0.51.0","os_name":"Linux","python":true,"retries":0}},"inputs":{"model":"gpt-4o","temperature":0.7,)"
        R"("messages":[{"role":"system","content":"You are a helpful assistant that answers in one paragraph."},)"
        R"({"role":"user","content":"What is the capital of France, and since when? Please cite a source."},)"
        R"({"role":"assistant","content":"Paris has been the capital of France since 987, with \"short\" breaks."}],)"
        R"("stop":null,"max_tokens":512,"logit_bias":{"50256":-100},"user":"u-1234567890"}})";
  }
  return text + "]}";
}

void simdjsonDom(benchmark::State& state) {
  const std::string text = sampleBatch(static_cast<int>(state.range(0)));
  simdjson::dom::parser parser;
  for (auto step : state) {
    // A request body arrives in its own buffer, so every variant includes one copy.
    const simdjson::padded_string copy(text);
    benchmark::DoNotOptimize(parser.parse(copy).error());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void simdjsonByHand(benchmark::State& state) {
  const std::string text = sampleBatch(static_cast<int>(state.range(0)));
  simdjson::dom::parser parser;
  for (auto step : state) {
    const simdjson::padded_string copy(text);
    Batch batch;
    for (const simdjson::dom::element item : parser.parse(copy)["batch"]) {
      Call& call = batch.batch.emplace_back();
      call.id = std::string_view(item["id"]);
      call.project_id = std::string_view(item["project_id"]);
      call.op_name = std::string_view(item["op_name"]);
      call.trace_id = std::string_view(item["trace_id"]);
      if (!item["parent_id"].is_null()) call.parent_id = std::string_view(item["parent_id"]);
      call.started_at = *parseTimestamp(std::string_view(item["started_at"])).value;
      call.attributes.json = simdjson::minify(item["attributes"]);
      call.inputs.json = simdjson::minify(item["inputs"]);
    }
    benchmark::DoNotOptimize(batch);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void documentIndex(benchmark::State& state) {
  const std::string text = sampleBatch(static_cast<int>(state.range(0)));
  for (auto step : state) {
    auto outcome = json::Document::parse(text);
    benchmark::DoNotOptimize(outcome);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void validatedRecord(benchmark::State& state) {
  const std::string text = sampleBatch(static_cast<int>(state.range(0)));
  for (auto step : state) {
    Result<Batch> batch = parse(batchCodec(), text);
    benchmark::DoNotOptimize(batch);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(simdjsonDom)->Arg(1)->Arg(100);
BENCHMARK(simdjsonByHand)->Arg(1)->Arg(100);
BENCHMARK(documentIndex)->Arg(1)->Arg(100);
BENCHMARK(validatedRecord)->Arg(1)->Arg(100);

}  // namespace

BENCHMARK_MAIN();
