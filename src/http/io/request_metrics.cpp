#include "http/io/request_metrics.h"

#include <functional>
#include <string>

namespace spindle::http {
namespace {

constexpr std::string_view kNoRoute = "none";

}  // namespace

std::size_t RequestMetrics::KeyHash::operator()(const Key& key) const {
  const std::size_t kind =
      static_cast<std::size_t>(key.status) * 16 + static_cast<std::size_t>(key.method);
  return std::hash<const void*>()(key.route) ^ kind * 0x9e3779b97f4a7c15U;
}

void RequestMetrics::record(Method method, std::string_view route, int status, double seconds) {
  if (route.empty()) route = kNoRoute;
  Counter*& counter = counters_[Key{route.data(), status, method}];
  if (counter == nullptr) {
    counter = &registry_.counter("spindle_http_requests_total", "Completed requests.",
                                 {{"method", std::string(nameOf(method))},
                                  {"route", std::string(route)},
                                  {"status", std::to_string(status)}});
  }
  counter->add();
  Histogram*& histogram = histograms_[route.data()];
  if (histogram == nullptr) {
    histogram = &registry_.histogram("spindle_http_request_seconds",
                                     "Time from the first byte of a request to the last byte of "
                                     "its response.",
                                     {{"route", std::string(route)}});
  }
  histogram->observe(seconds);
}

void RequestMetrics::rejected(std::string_view reason) {
  registry_
      .counter("spindle_http_rejected_total",
               "Requests and connections that the HTTP server rejected.",
               {{"reason", std::string(reason)}})
      .add();
}

}  // namespace spindle::http
