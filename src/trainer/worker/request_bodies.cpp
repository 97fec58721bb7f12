#include "trainer/worker/request_bodies.h"

#include <cmath>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::trainer {
namespace {

using schema::Codec, schema::ifPresent, schema::integer, schema::MapOf, schema::number,
    schema::Record, schema::string;

struct Event {
  std::string type;
  json::Text data;
  std::optional<std::string> note = {};
};

/// Returns the body that reports one event.
std::string eventBody(std::uint64_t number, Event event) {
  struct Body {
    std::int64_t first = 1;
    std::vector<Event> events;
  };
  static const Codec<Body> codec = [] {
    const Codec<Event> one = Record<Event>("Event")
                                 .required("type", &Event::type, string())
                                 .required("data", &Event::data, schema::jsonObject())
                                 .required("note", &Event::note, ifPresent(string()))
                                 .codec();
    return Record<Body>("Events")
        .required("first", &Body::first, integer())
        .required("events", &Body::events, schema::list(one))
        .codec();
  }();
  return codec.toJson({static_cast<std::int64_t>(number), {std::move(event)}});
}

MapOf<double> finiteOnly(const Metrics& metrics) {
  MapOf<double> finite;
  for (const auto& [name, value] : metrics) {
    if (std::isfinite(value)) finite.emplace_back(name, value);
  }
  return finite;
}

}  // namespace

std::string leaseBody(const std::string& worker,
                      std::int64_t wait_seconds,
                      const std::string& device) {
  struct Body {
    std::string worker;
    std::int64_t wait_seconds = 0;
    std::string device;
  };
  static const Codec<Body> codec = Record<Body>("LeaseRequest")
                                       .required("worker", &Body::worker, string())
                                       .required("wait_seconds", &Body::wait_seconds, integer())
                                       .required("device", &Body::device, string())
                                       .codec();
  return codec.toJson({worker, wait_seconds, device});
}

std::string heartBeatBody(std::optional<double> seconds_left) {
  struct Body {
    std::optional<double> seconds_left;
  };
  static const Codec<Body> codec =
      Record<Body>("HeartBeat")
          .required("seconds_left", &Body::seconds_left, ifPresent(number()))
          .codec();
  return codec.toJson({seconds_left});
}

std::string startBody(std::uint64_t steps, const std::string& note) {
  static const Codec<MapOf<std::int64_t>> data = schema::map(integer());
  Event event{"training_started",
              {data.toJson({{"num_sequences", static_cast<std::int64_t>(steps)}})}};
  if (!note.empty()) event.note = note;
  return eventBody(1, std::move(event));
}

std::string stepBody(std::uint64_t number, const Metrics& metrics) {
  static const Codec<MapOf<double>> data = schema::map(schema::number());
  return eventBody(number, {"gradient_step", {data.toJson(finiteOnly(metrics))}});
}

std::string resultBody(const JobResult& result) {
  struct Body {
    std::optional<bool> unchanged;
    MapOf<double> metrics;
  };
  static const Codec<Body> codec =
      Record<Body>("Result")
          .required("unchanged", &Body::unchanged, ifPresent(schema::boolean()))
          .required("metrics", &Body::metrics, schema::map(number()))
          .codec();
  Body body{std::nullopt, finiteOnly(result.metrics)};
  if (result.unchanged) body.unchanged = true;
  return codec.toJson(body);
}

std::string failureBody(const std::string& message) {
  struct Body {
    std::string message;
  };
  static const Codec<Body> codec =
      Record<Body>("Failure").required("message", &Body::message, string()).codec();
  return codec.toJson({message});
}

}  // namespace spindle::trainer
