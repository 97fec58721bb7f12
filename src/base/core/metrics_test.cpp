#include "base/core/metrics.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(Metrics, WritesPrometheusText) {
  MetricRegistry metrics;
  metrics.counter("spindle_http_requests_total", "Requests.", {{"status", "200"}}).add(3);
  metrics.counter("spindle_http_requests_total", "Requests.", {{"status", "200"}}).add(1);
  metrics.gauge("spindle_http_connections", "Open connections.").set(7);
  metrics.gaugeFrom("spindle_up", "One.", [] { return 1.0; });
  EXPECT_EQ(metrics.prometheusText(),
            "# HELP spindle_http_connections Open connections.\n"
            "# TYPE spindle_http_connections gauge\n"
            "spindle_http_connections 7\n"
            "# HELP spindle_http_requests_total Requests.\n"
            "# TYPE spindle_http_requests_total counter\n"
            "spindle_http_requests_total{status=\"200\"} 4\n"
            "# HELP spindle_up One.\n"
            "# TYPE spindle_up gauge\n"
            "spindle_up 1\n");
}

TEST(Metrics, HistogramBucketsAreCumulative) {
  MetricRegistry metrics;
  Histogram& latency = metrics.histogram("spindle_latency_seconds", "Latency.", {{"a", "\"q\""}});
  latency.observe(0.0001);
  latency.observe(0.003);
  latency.observe(100);
  const std::string text = metrics.prometheusText();
  EXPECT_NE(text.find("spindle_latency_seconds_bucket{a=\"\\\"q\\\"\",le=\"0.0001\"} 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("le=\"0.005\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("le=\"60\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("le=\"+Inf\"} 3\n"), std::string::npos);
  EXPECT_NE(text.find("spindle_latency_seconds_count{a=\"\\\"q\\\"\"} 3\n"), std::string::npos);
}

}  // namespace
}  // namespace spindle
