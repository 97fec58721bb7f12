#pragma once

#include <string_view>

namespace spindle::config {

/// Returns true if a variable has the form that Kubernetes injects for a service named `spindle` or
/// `spindle-…`: `SPINDLE_SERVICE_HOST`, `SPINDLE_SERVICE_PORT` (optionally followed by a port
/// name), `SPINDLE_PORT_8080_TCP` (optionally followed by `_PROTO`, `_PORT` or `_ADDR`), and
/// `SPINDLE_PORT` with a value such as `tcp://10.0.0.7:8080`.
bool isServiceVariable(std::string_view name, std::string_view value);

}  // namespace spindle::config
