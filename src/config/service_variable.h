#pragma once

#include <string_view>

namespace spindle::config {

/// Returns true if a variable has the form that Kubernetes injects for a service named `spindle` or
/// `spindle-…`: `SPINDLE_SERVICE_HOST`, `SPINDLE_SERVICE_PORT` (also with the name of a port behind
/// it), `SPINDLE_PORT_8080_TCP` (also with `_PROTO`, `_PORT` or `_ADDR` behind it), and
/// `SPINDLE_PORT` with a value such as `tcp://10.0.0.7:8080`.
bool isServiceVariable(std::string_view name, std::string_view value);

}  // namespace spindle::config
