// Reads any bytes as the body of a query and runs it on calls, feedback and spans while another
// project has its own rows: no row of the other project is returned, and every generated statement
// is valid for the engine.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include "agents/columnar/columnar_span_store.h"
#include "agents/sql/span_row.h"
#include "agents/sql/span_view.h"
#include "base/core/log.h"
#include "columnar/store/store.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/store/call_row.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/otel_resource_store.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): one short program

constexpr std::string_view kOwn = "own-word";
constexpr std::string_view kForeign = "foreign-word";
constexpr Timestamp kStart(std::chrono::hours(24) * 20'000);
constexpr int kRows = 4;

struct Body {
  std::optional<tracing::CallFilter> filter;
  std::optional<query::Query> query;
  std::optional<std::vector<query::SortKey>> sort_by;
  std::optional<std::vector<std::string>> expand_columns;
  std::optional<std::vector<std::string>> fields;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};

const schema::Codec<Body>& bodyCodec() {
  using schema::integer;
  using schema::list;
  using schema::nullable;
  using schema::string;
  static const schema::Codec<Body> codec =
      schema::Record<Body>("Body")
          .optional("filter", &Body::filter, nullable(tracing::callFilterCodec()), "")
          .optional("query", &Body::query, nullable(query::queryCodec()), "")
          .optional("sort_by", &Body::sort_by, nullable(query::sortCodec()), "")
          .optional("expand_columns", &Body::expand_columns, nullable(list(string())), "")
          .optional("fields", &Body::fields, nullable(list(string())), "")
          .optional("limit", &Body::limit, nullable(integer()), "")
          .optional("offset", &Body::offset, nullable(integer()), "")
          .codec();
  return codec;
}

void fail(std::string_view why) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(why.size()), why.data());
  std::abort();
}

/// A query may be invalid or take too long, but an internal error is a finding.
void expectCallersFault(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnprocessable:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kTimeout:
      return;
    default:
      fail("not the caller's fault: " + error.message());
  }
}

void expectOwn(std::string_view text) {
  if (text.find(kForeign) != std::string_view::npos) fail("a row of another project");
  if (text.find(kOwn) == std::string_view::npos) fail("a row that no project has");
}

class ObjectValues final : public tracing::RefValues {
 public:
  Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view /*project_id*/, const std::vector<std::string>& refs) override {
    return std::vector<std::optional<std::string>>(refs.size(), R"({"note":"own-word"})");
  }
};

/// Two projects with the same kinds of rows, in one store.
class Stores {
 public:
  Stores() {
    configureLogging(LogLevel::kError, LogFormat::kText);
    std::string folder = std::filesystem::temp_directory_path().string() + "/spindle-fuzz-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) fail("no folder");
    columnar::StoreOptions options;
    options.folder = folder;
    options.threads = 1;
    options.query_time = std::chrono::milliseconds(2000);
    store_ = columnar::Store::open(options,
                                   {tracing::callFamily(), feedback::feedbackFamily(),
                                    agents::spanFamily(), tracing::otelResourceFamily()},
                                   metrics_);
    calls_ = std::make_unique<tracing::ColumnarCallStore>(
        *store_, 0, 3,
        tracing::CallJoins{values_,
                           [this](const columnar::Snapshot& snapshot, std::string_view project) {
                             return feedback_->callFields(snapshot, project);
                           }});
    feedback_ = std::make_unique<feedback::ColumnarFeedbackStore>(*store_, 1);
    spans_ = std::make_unique<agents::ColumnarSpanStore>(*store_, agents::SpanFamilies{2, 3, 1});
    fill("own", kOwn);
    fill("foreign", kForeign);
    // Half of the rows are flushed, half are in memory.
    if (!store_->flush()) fail("cannot flush");
    fill("own", kOwn);
    fill("foreign", kForeign);
  }

  void run(const Body& body) {
    readCalls(body);
    readFeedback(body);
    readSpans(body);
  }

 private:
  void fill(const std::string& project, std::string_view word) {
    const std::string text(word);
    for (int i = 0; i < kRows; ++i) {
      const std::string id = text + std::to_string(++made_);
      tracing::CallComplete call;
      call.start.id = id;
      call.start.trace_id = text;
      call.start.op_name = text;
      call.start.started_at = kStart + std::chrono::seconds(i);
      call.start.attributes = R"({"note":")" + text + R"("})";
      call.start.inputs =
          R"({"note":")" + text + R"(","n":5,"thing":"svc-internal:///p/object/thing:d"})";
      call.end.id = id;
      call.end.ended_at = kStart + std::chrono::seconds(i + 1);
      call.end.output = "\"" + text + "\"";
      call.end.summary = R"({"usage":{"m":{"prompt_tokens":1}}})";
      if (!calls_->write(project, {call})) fail("cannot write calls");
      feedback::Feedback note;
      note.id = id;
      note.created_at = kStart + std::chrono::seconds(i);
      note.target_kind = "call";
      note.target_id = id;
      note.svc_ref = text;
      note.feedback_type = "custom";
      note.payload = R"({"note":")" + text + R"(","score":1})";
      if (!feedback_->add({{project, note}})) fail("cannot write feedback");
      agents::AgentSpan span;
      span.trace_id = id;
      span.span_id = "a";
      span.span_name = text;
      span.agent_name = text;
      span.started_at = kStart + std::chrono::seconds(i);
      if (!spans_->write(project, {span})) fail("cannot write spans");
    }
  }

  void readCalls(const Body& body) {
    const tracing::ProjectScope project{"own", "team/own"};
    Result<std::unique_ptr<tracing::CallView>> view = calls_->view(project);
    if (!view) return expectCallersFault(view.error());
    tracing::CallQuery selection;
    if (body.filter) selection.filter = *body.filter;
    selection.query = body.query;
    if (body.expand_columns) selection.expand_columns = *body.expand_columns;
    const Result<tracing::CallPage> page = tracing::pageOf(body.sort_by, body.limit, body.offset);
    if (!page) return expectCallersFault(page.error());
    Result<std::unique_ptr<tracing::CallReader>> reader =
        (*view)->read(selection, *page, tracing::allCallColumns());
    if (!reader) return expectCallersFault(reader.error());
    std::size_t found = 0;
    while (true) {
      const Result<std::vector<tracing::Call>> calls = (*reader)->next();
      if (!calls) return expectCallersFault(calls.error());
      if (calls->empty()) break;
      for (const tracing::Call& call : *calls) expectOwn(call.id);
      found += calls->size();
    }
    reader->reset();
    if (found > 2 * kRows) fail("more calls than the project has");
    const Result<tracing::CallCount> count = (*view)->count(selection, std::nullopt, true);
    if (!count) return expectCallersFault(count.error());
    if (count->count > 2 * kRows) fail("more calls counted than the project has");
  }

  void readFeedback(const Body& body) {
    feedback::FeedbackQuery selection;
    selection.query = body.query;
    if (body.sort_by) selection.sort = *body.sort_by;
    if (body.fields) selection.paths = *body.fields;
    const Result<tracing::CallPage> page = tracing::pageOf(std::nullopt, body.limit, body.offset);
    if (!page) return;
    selection.limit = page->limit;
    selection.offset = page->offset;
    Result<std::unique_ptr<feedback::FeedbackReader>> reader =
        feedback_->read("own", "team/own", selection);
    if (!reader) return expectCallersFault(reader.error());
    if ((*reader)->total() > 2 * kRows) fail("more feedback than the project has");
    while (true) {
      const Result<std::vector<feedback::FeedbackRow>> notes = (*reader)->next();
      if (!notes) return expectCallersFault(notes.error());
      if (notes->empty()) return;
      for (const feedback::FeedbackRow& note : *notes) {
        expectOwn(note.feedback.id);
        for (const std::string& text : note.texts) {
          if (text.find(kForeign) != std::string::npos) fail("a text of another project");
        }
      }
    }
  }

  void readSpans(const Body& body) {
    agents::SpanFilter selection;
    selection.query = body.query;
    const Result<std::unique_ptr<agents::SpanRows>> rows = spans_->rows("own");
    if (!rows) return expectCallersFault(rows.error());
    const Result<query::Sql> condition = agents::conditionOf(selection, (*rows)->dialect());
    if (!condition) return expectCallersFault(condition.error());
    const Result<query::Sql> view = agents::spanView(**rows, agents::viewOptionsFor(selection));
    if (!view) return expectCallersFault(view.error());
    const query::Sql sql =
        query::Sql("SELECT c.span_name FROM ").add(*view).add(" AS c WHERE ").add(*condition);
    const Result<void> read =
        forEachRow(**rows, sql, [this](const agents::ResultRow& row) { expectOwn(row.text(0)); });
    if (!read) expectCallersFault(read.error());
  }

  MetricRegistry metrics_;
  ObjectValues values_;
  std::unique_ptr<columnar::Store> store_;
  std::unique_ptr<tracing::ColumnarCallStore> calls_;
  std::unique_ptr<feedback::ColumnarFeedbackStore> feedback_;
  std::unique_ptr<agents::ColumnarSpanStore> spans_;
  int made_ = 0;
};

/// Never destroyed: the process exits without destruction, and the system cleans up its folder.
Stores& stores() {
  static Stores& made = *new Stores;  // NOLINT(cppcoreguidelines-owning-memory)
  return made;
}

}  // namespace

/// Creates the stores before the first input, whose time limit they would exceed on a busy machine.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  (void)stores();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Body> body = schema::parse(bodyCodec(), text);
  if (body) stores().run(*body);
  return 0;
}
