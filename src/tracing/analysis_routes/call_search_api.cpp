#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/utf8.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "objects/values/ref_conversion.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/calls/call_search.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using http::Context;
using schema::dateTime, schema::integer, schema::list, schema::nullable, schema::Record,
    schema::string;

// Length of the texts around a match in responses, in characters. The store returns longer ones, so
// that references in them are whole.
constexpr std::size_t kShownBefore = 80;
constexpr std::size_t kShownAfter = 160;

struct SearchBody : CallSearch {
  std::string project_id;
};

struct MatchView {
  std::string field;
  std::string snippet;
  std::int64_t start = 0;
  std::int64_t end = 0;
};
struct FoundCallView {
  std::string id;
  std::string trace_id;
  std::string name;
  Timestamp started_at;
  std::vector<MatchView> matches;
};
struct SearchReply {
  std::vector<FoundCallView> calls;
};

schema::Codec<SearchBody> searchCodec() {
  using B = SearchBody;
  Record<B> record = identity::projectRecord<B>("CallsSearch");
  record
      .required("text", &B::text, string({.min_length = 1, .max_length = 1000}),
                "Text to find in the name, inputs or output, in letters of either case.")
      .optional("limit", &B::limit, integer({.ge = 1, .le = 100}), "Maximum number of calls.")
      .optional("since", &B::since, nullable(dateTime()), "Earliest start, inclusive.")
      .optional("until", &B::until, nullable(dateTime()), "Latest start, exclusive.");
  return record.codec();
}

schema::Codec<SearchReply> searchReplyCodec() {
  const auto match =
      Record<MatchView>("CallMatch")
          .required("field", &MatchView::field, schema::literal({"name", "inputs", "output"}))
          .required("snippet", &MatchView::snippet, string(),
                    "The text around the first match. Of inputs and output, a part of their JSON.")
          .required("start", &MatchView::start, integer(),
                    "Begin of the match in the snippet, in characters (code points).")
          .required("end", &MatchView::end, integer(), "End of the match, exclusive.")
          .codec();
  const auto call =
      Record<FoundCallView>("FoundCall")
          .required("id", &FoundCallView::id, string())
          .required("trace_id", &FoundCallView::trace_id, string())
          .required("name", &FoundCallView::name, string())
          .required("started_at", &FoundCallView::started_at, dateTime())
          .required("matches", &FoundCallView::matches, list(match), "One for each field.")
          .codec();
  return Record<SearchReply>("CallsFound")
      .required("calls", &SearchReply::calls, list(call), "Newest first.")
      .codec();
}

std::string_view nameOf(SearchedField field) {
  constexpr std::array<std::string_view, 3> kNames = {"name", "inputs", "output"};
  return kNames.at(static_cast<std::size_t>(field));
}

std::string_view firstCharactersOf(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (beginsCharacter(text[end]) && ++seen > count) break;
  }
  return text.substr(0, end);
}

std::string_view lastCharactersOf(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  for (std::size_t seen = 0; begin > 0 && seen < count; --begin) {
    if (beginsCharacter(text[begin - 1])) ++seen;
  }
  return text.substr(begin);
}

Result<MatchView> matchView(FoundText found,
                            objects::RefProjects& projects,
                            wire::Spelling spelling) {
  for (std::string* part : {&found.before, &found.after}) {
    TRY(objects::externalizeFragment(*part, projects, spelling));
  }
  MatchView view;
  view.field = nameOf(found.field);
  view.snippet = lastCharactersOf(found.before, kShownBefore);
  view.start = static_cast<std::int64_t>(charactersIn(view.snippet));
  view.end = view.start + static_cast<std::int64_t>(charactersIn(found.match));
  view.snippet += found.match;
  view.snippet += firstCharactersOf(found.after, kShownAfter);
  return view;
}

Result<SearchReply> searchCallTexts(const TracingServices& services,
                                    const Context& context,
                                    const SearchBody& body) {
  const ProjectScope project = TRY(readableProject(services, context, body.project_id));
  std::vector<FoundCall> found;
  {
    const std::unique_ptr<CallView> view = TRY(services.calls.view(project));
    std::vector<FoundCall> read = TRY(view->search(body));
    found = std::move(read);
  }
  const std::unique_ptr<objects::RefProjects> projects =
      services.ref_projects(context.caller().user_id);
  SearchReply reply;
  for (FoundCall& call : found) {
    FoundCallView& view = reply.calls.emplace_back();
    view.id = std::move(call.id);
    view.trace_id = std::move(call.trace_id);
    view.name = std::move(call.name);
    view.started_at = call.started_at;
    for (FoundText& text : call.texts) {
      MatchView match = TRY(matchView(std::move(text), *projects, context.spelling()));
      view.matches.push_back(std::move(match));
    }
  }
  return reply;
}

}  // namespace

void addCallSearchRoutes(const TracingRoutes& routes) {
  routes.post("/calls/search",
              {"searchCalls", "Search the names, inputs and outputs of calls",
               "Searches from the newest calls to older ones until it has found enough; a time "
               "range bounds the search."},
              {.body = searchCodec(), .reply = searchReplyCodec()}, searchCallTexts);
}

}  // namespace spindle::tracing
