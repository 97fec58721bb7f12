#include "tracing/calls/call_merge.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::tracing {
namespace {

constexpr auto kId = "call";

Timestamp secondsAt(int seconds) { return Timestamp(std::chrono::seconds(seconds)); }

CallStart start(const std::string& op_name = "op") {
  CallStart part;
  part.id = kId;
  part.trace_id = "trace";
  part.op_name = op_name;
  part.started_at = secondsAt(1);
  part.attributes = R"({"a":1})";
  part.inputs = R"({"i":1})";
  part.user_id = "usr";
  part.bytes = 16;
  return part;
}

CallEnd end(std::optional<Payload> output = "1") {
  CallEnd part;
  part.id = kId;
  part.ended_at = secondsAt(2);
  part.output = std::move(output);
  part.summary = "{}";
  part.output_bytes = part.output ? 1 : 4;
  part.summary_bytes = 2;
  return part;
}

CallRename named(const std::string& name) { return {kId, name}; }

Call merged(std::vector<CallPart> parts) {
  Call call;
  call.id = kId;
  for (CallPart& part : parts) EXPECT_TRUE(mergePart(call, std::move(part)));
  return call;
}

TEST(CallMerge, KeepsADumpWithItsResource) {
  CallStart first = start();
  first.otel_dump = R"({"n":1})";
  first.otel_resource = makeOtelResource(R"({"r":1})", 7, secondsAt(1));
  CallStart second = start();
  second.otel_dump = R"({"n":2})";
  const Call kept = merged({first, second});
  EXPECT_EQ(kept.otel_dump, R"({"n":1})");
  EXPECT_EQ(kept.otel_resource, first.otel_resource->digest);
  const Call other = merged({second, first});
  EXPECT_EQ(other.otel_dump, R"({"n":2})");
  EXPECT_EQ(other.otel_resource, std::nullopt);
  const Call replaced = merged({first, CallComplete{second, end()}});
  EXPECT_EQ(replaced.otel_dump, R"({"n":2})");
  EXPECT_EQ(replaced.otel_resource, std::nullopt);
  const Call deleted = merged({first, CallDelete{kId}});
  EXPECT_EQ(deleted.otel_resource, std::nullopt);
}

/// Returns the members of a call that do not depend on the order of its parts, as one string.
std::string describe(const Call& call) {
  const auto text = [](const std::optional<std::string>& t) { return t.value_or("-"); };
  const auto time = [](const std::optional<Timestamp>& t) { return t ? formatTimestamp(*t) : "-"; };
  std::string all = std::to_string(static_cast<int>(call.presence));
  for (const std::string& piece :
       {call.id, call.trace_id, call.op_name, text(call.display_name), time(call.started_at),
        time(call.ended_at), text(call.exception), text(call.attributes), text(call.inputs),
        text(call.output), text(call.summary), text(call.user_id),
        std::to_string(call.storageBytes())}) {
    all += "|" + piece;
  }
  return all;
}

/// Calls `check` with the parts in every order.
void inEveryOrder(const std::vector<CallPart>& parts,
                  const std::function<void(const std::vector<CallPart>&)>& check) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    std::vector<CallPart> arranged;
    arranged.reserve(order.size());
    for (const std::size_t place : order) arranged.push_back(parts[place]);
    check(arranged);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(MergedParts, MakeTheSameCallInEveryOrder) {
  const std::string expected = describe(merged({start(), end(), named("new")}));
  EXPECT_EQ(expected,
            "1|call|trace|op|new|1970-01-01T00:00:01Z|1970-01-01T00:00:02Z|-|{\"a\":1}|{\"i\":1}|1|"
            "{}|usr|19");
  inEveryOrder({start(), end(), named("new")}, [&](const std::vector<CallPart>& parts) {
    EXPECT_EQ(describe(merged(parts)), expected);
  });
}

TEST(MergedParts, StayDeletedInEveryOrder) {
  inEveryOrder({start(), end(), named("new"), CallDelete{kId}},
               [](const std::vector<CallPart>& parts) {
                 const Call call = merged(parts);
                 EXPECT_EQ(call.presence, Presence::kDeleted);
                 EXPECT_EQ(call.inputs, std::nullopt);
                 EXPECT_EQ(call.output, std::nullopt);
               });
  inEveryOrder({CallComplete{start(), end()}, CallDelete{kId}, CallDelete{kId}},
               [](const std::vector<CallPart>& parts) {
                 EXPECT_EQ(merged(parts).presence, Presence::kDeleted);
               });
}

TEST(MergedParts, StayInvisibleWithoutAStart) {
  inEveryOrder({end(), named("new"), end("2")}, [](const std::vector<CallPart>& parts) {
    EXPECT_EQ(merged(parts).presence, Presence::kAwaited);
  });
}

TEST(MergedParts, MayBeRepeatedWithoutEffect) {
  const std::string expected = describe(merged({start(), end(), named("new")}));
  inEveryOrder(
      {start(), start(), end(), end(), named("new")},
      [&](const std::vector<CallPart>& parts) { EXPECT_EQ(describe(merged(parts)), expected); });
}

TEST(StartPart, MakesARunningCallVisible) {
  const Call call = merged({start()});
  EXPECT_EQ(call.presence, Presence::kVisible);
  EXPECT_EQ(call.ended_at, std::nullopt);
}

TEST(StartPart, KeepsTheFirstValueOfEachField) {
  CallStart second = start("other");
  second.started_at = secondsAt(9);
  second.inputs = "{}";
  second.parent_id = "parent";
  second.thread_id = "thread";
  second.run_step = 3;
  const Call call = merged({start(), second});
  EXPECT_EQ(call.op_name, "op");
  EXPECT_EQ(call.started_at, secondsAt(1));
  EXPECT_EQ(call.inputs, R"({"i":1})");
  EXPECT_EQ(call.start_bytes, 16);
  EXPECT_EQ(call.parent_id, "parent") << "nothing stood there before";
  EXPECT_EQ(call.thread_id, "thread");
  EXPECT_EQ(call.run_step, 3);
}

TEST(EndPart, KeepsEarlierOutputAndException) {
  CallEnd failed = end("1");
  failed.exception = "boom";
  CallEnd later = end(std::nullopt);
  later.ended_at = secondsAt(5);
  later.summary = R"({"x":1})";
  later.summary_bytes = 8;
  const Call call = merged({start(), failed, later});
  EXPECT_EQ(call.output, "1");
  EXPECT_EQ(call.output_bytes, 1);
  EXPECT_EQ(call.exception, "boom");
  EXPECT_EQ(call.ended_at, secondsAt(5));
  EXPECT_EQ(call.summary, R"({"x":1})");
  EXPECT_EQ(call.summary_bytes, 8);
}

TEST(EndPart, LastOutputWins) {
  EXPECT_EQ(merged({start(), end("1"), end("2")}).output, "2");
  EXPECT_EQ(merged({start(), end(std::nullopt), end("2")}).output, "2");
  EXPECT_EQ(merged({start(), end(std::nullopt)}).output_bytes, 4);
}

TEST(EndPart, CanRequireItsStart) {
  CallEnd strict = end();
  strict.start_required = true;
  const auto outcome = [&strict](std::vector<CallPart> before) {
    Call call = merged(std::move(before));
    const std::string known = describe(call);
    const Result<void> done = mergePart(call, strict);
    if (!done) {
      EXPECT_EQ(done.error().code(), ErrorCode::kNotFound);
      EXPECT_EQ(describe(call), known);
    }
    return done.has_value();
  };
  EXPECT_FALSE(outcome({}));
  EXPECT_FALSE(outcome({named("x")}));
  EXPECT_FALSE(outcome({start(), CallDelete{kId}}));
  EXPECT_TRUE(outcome({start()}));
  EXPECT_TRUE(outcome({start(), end()})) << "the last wins";
}

TEST(DisplayName, NewestWins) {
  EXPECT_EQ(merged({start(), named("a"), named("b")}).display_name, "b");
  EXPECT_EQ(merged({named("a"), start()}).display_name, "a");
  EXPECT_EQ(merged({start(), named("a"), named("")}).display_name, std::nullopt);
  CallStart with_name = start();
  with_name.display_name = "given";
  EXPECT_EQ(merged({with_name}).display_name, "given");
  EXPECT_EQ(merged({with_name, named("b")}).display_name, "b");
  with_name.display_name = "";
  EXPECT_EQ(merged({with_name}).display_name, std::nullopt);
}

TEST(CompletePart, ReplacesEarlierParts) {
  CallEnd failed = end("1");
  failed.exception = "boom";
  CallComplete first{start("first"), failed};
  CallComplete second{start("second"), end(std::nullopt)};
  const Call call = merged({first, second});
  EXPECT_EQ(call.op_name, "second");
  EXPECT_EQ(call.output, std::nullopt);
  EXPECT_EQ(call.exception, std::nullopt);
  EXPECT_EQ(merged({start("first"), second}).op_name, "second");
  EXPECT_EQ(merged({named("kept"), second}).display_name, "kept");
}

}  // namespace
}  // namespace spindle::tracing
