#include "trainer/worker/request_bodies.h"

#include <cmath>
#include <utility>
#include <vector>

#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::trainer {
namespace {

using schema::Codec, schema::ifPresent, schema::integer, schema::MapOf, schema::number,
    schema::Record, schema::string;

struct LeaseBody {
  std::string worker;
  std::int64_t wait_seconds = 0;
};
struct HeartBeatBody {
  std::optional<double> seconds_left;
};
struct StartData {
  std::int64_t num_sequences = 0;
};
template <class Data>
struct EventBody {
  std::string type;
  Data data;
  std::optional<std::string> note = {};
};
template <class Data>
struct EventsBody {
  std::int64_t first = 1;
  std::vector<EventBody<Data>> events;
};
struct ResultBody {
  std::optional<bool> unchanged;
  MapOf<double> metrics;
};
struct FailureBody {
  std::string message;
};

template <class Data>
Codec<EventsBody<Data>> eventsCodec(const Codec<Data>& data) {
  using Event = EventBody<Data>;
  using Events = EventsBody<Data>;
  const Codec<Event> event = Record<Event>("Event")
                                 .required("type", &Event::type, string(), "")
                                 .required("data", &Event::data, data, "")
                                 .required("note", &Event::note, ifPresent(string()), "")
                                 .codec();
  return Record<Events>("Events")
      .required("first", &Events::first, integer(), "")
      .required("events", &Events::events, schema::list(event), "")
      .codec();
}

MapOf<double> finiteOnly(const Metrics& metrics) {
  MapOf<double> finite;
  for (const auto& [name, value] : metrics) {
    if (std::isfinite(value)) finite.emplace_back(name, value);
  }
  return finite;
}

}  // namespace

std::string leaseBody(const std::string& worker, std::int64_t wait_seconds) {
  static const Codec<LeaseBody> codec =
      Record<LeaseBody>("LeaseRequest")
          .required("worker", &LeaseBody::worker, string(), "")
          .required("wait_seconds", &LeaseBody::wait_seconds, integer(), "")
          .codec();
  return codec.toJson({worker, wait_seconds});
}

std::string heartBeatBody(std::optional<double> seconds_left) {
  static const Codec<HeartBeatBody> codec =
      Record<HeartBeatBody>("HeartBeat")
          .required("seconds_left", &HeartBeatBody::seconds_left, ifPresent(number()), "")
          .codec();
  return codec.toJson({seconds_left});
}

std::string startBody(std::uint64_t steps, const std::string& note) {
  static const Codec<EventsBody<StartData>> codec =
      eventsCodec(Record<StartData>("StartData")
                      .required("num_sequences", &StartData::num_sequences, integer(), "")
                      .codec());
  EventBody<StartData> event{"training_started", {static_cast<std::int64_t>(steps)}};
  if (!note.empty()) event.note = note;
  return codec.toJson({1, {std::move(event)}});
}

std::string stepBody(std::uint64_t number, const Metrics& metrics) {
  static const Codec<EventsBody<MapOf<double>>> codec = eventsCodec(schema::map(schema::number()));
  return codec.toJson(
      {static_cast<std::int64_t>(number), {{"gradient_step", finiteOnly(metrics)}}});
}

std::string resultBody(const JobResult& result) {
  static const Codec<ResultBody> codec =
      Record<ResultBody>("Result")
          .required("unchanged", &ResultBody::unchanged, ifPresent(schema::boolean()), "")
          .required("metrics", &ResultBody::metrics, schema::map(number()), "")
          .codec();
  ResultBody body{std::nullopt, finiteOnly(result.metrics)};
  if (result.unchanged) body.unchanged = true;
  return codec.toJson(body);
}

std::string failureBody(const std::string& message) {
  static const Codec<FailureBody> codec =
      Record<FailureBody>("Failure")
          .required("message", &FailureBody::message, string(), "")
          .codec();
  return codec.toJson({message});
}

}  // namespace spindle::trainer
