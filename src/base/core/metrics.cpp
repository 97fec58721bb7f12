#include "base/core/metrics.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/core/check.h"

namespace spindle {
namespace {

std::string labelText(const MetricLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ',';
    text += name;
    text += "=\"";
    for (const char c : value) {
      if (c == '\\' || c == '"') text += '\\';
      if (c == '\n') {
        text += "\\n";
      } else {
        text += c;
      }
    }
    text += '"';
  }
  return text;
}

std::string braced(const std::string& labels) { return labels.empty() ? "" : "{" + labels + "}"; }

void appendHistogram(std::string& out,
                     const std::string& name,
                     const std::string& labels,
                     const Histogram& histogram) {
  const std::string lead = labels.empty() ? "" : labels + ",";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
    total += histogram.count(i);
    const std::string bound =
        i < Histogram::kBounds.size() ? fmt::format("{}", Histogram::kBounds[i]) : "+Inf";
    out += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, lead, bound, total);
  }
  out += fmt::format("{}_sum{} {}\n", name, braced(labels), histogram.sumSeconds());
  out += fmt::format("{}_count{} {}\n", name, braced(labels), total);
}

}  // namespace

struct MetricRegistry::Family {
  std::string help;
  std::string type;
  std::map<std::string, Counter> counters;
  std::map<std::string, Gauge> gauges;
  std::map<std::string, Histogram> histograms;
  std::function<double()> read;
};

void Histogram::observe(double seconds) {
  const auto* bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  const auto bucket = static_cast<std::size_t>(bound - kBounds.begin());
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  nanos_.fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

MetricRegistry::MetricRegistry() = default;
MetricRegistry::~MetricRegistry() = default;

MetricRegistry::Family& MetricRegistry::family(std::string_view name,
                                               std::string_view help,
                                               std::string_view type) {
  auto found = families_.find(name);
  if (found == families_.end()) {
    auto fresh = std::make_unique<Family>();
    fresh->help = help;
    fresh->type = type;
    found = families_.emplace(std::string(name), std::move(fresh)).first;
  }
  SPINDLE_ASSERT(found->second->type == type, "one metric name, two types");
  return *found->second;
}

Counter& MetricRegistry::counter(std::string_view name,
                                 std::string_view help,
                                 const MetricLabels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, "counter").counters[labelText(labels)];
}

Gauge& MetricRegistry::gauge(std::string_view name,
                             std::string_view help,
                             const MetricLabels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, "gauge").gauges[labelText(labels)];
}

Histogram& MetricRegistry::histogram(std::string_view name,
                                     std::string_view help,
                                     const MetricLabels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, "histogram").histograms[labelText(labels)];
}

void MetricRegistry::gaugeFrom(std::string_view name,
                               std::string_view help,
                               std::function<double()> read) {
  const MutexLock lock(mutex_);
  family(name, help, "gauge").read = std::move(read);
}

std::string MetricRegistry::prometheusText() const {
  const MutexLock lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, family->help, name, family->type);
    for (const auto& [labels, counter] : family->counters) {
      out += fmt::format("{}{} {}\n", name, braced(labels), counter.value());
    }
    for (const auto& [labels, gauge] : family->gauges) {
      out += fmt::format("{}{} {}\n", name, braced(labels), gauge.value());
    }
    for (const auto& [labels, histogram] : family->histograms) {
      appendHistogram(out, name, labels, histogram);
    }
    if (family->read) out += fmt::format("{} {}\n", name, family->read());
  }
  return out;
}

}  // namespace spindle
