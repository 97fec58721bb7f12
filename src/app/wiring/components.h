#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::app {

/// When a component stops. Components of the same phase stop in the order of their registration.
enum class StopPhase {
  kBeforeRequests,  ///< it keeps requests open and would delay the stop of the HTTP server
  kRequests,        ///< the HTTP server: no request runs after this phase
  kAfterRequests    ///< requests use it
};

/// The functions that start and stop the threads of a component. There is no start without a stop.
struct Lifecycle {
  Lifecycle(std::function<void()> start_function,
            std::function<void()> stop_function,
            StopPhase stop_phase = StopPhase::kAfterRequests)
      : start(std::move(start_function)), stop(std::move(stop_function)), phase(stop_phase) {}

  std::function<void()> start;
  std::function<void()> stop;
  StopPhase phase;
};

/// The stop function of components whose destructor stops their threads.
inline void stopsInDestructor() {}

/// Which servers of a deployment do the maintenance of a component.
enum class MaintenanceScope {
  kServer,     ///< every server: it works on the memory or the data folder of the server
  kDeployment  ///< one at a time: it works on the metadata database or on shared stores
};

/// The work that a component does once a minute.
struct Maintenance {
  std::function<void()> run;
  MaintenanceScope scope = MaintenanceScope::kDeployment;
  bool skip_during_backup = false;  ///< it deletes files that a backup copies
};

/// A part of the server, with all functions that the server calls after its construction.
struct Component {
  std::string name;
  std::optional<Lifecycle> lifecycle = {};
  std::optional<Maintenance> maintenance = {};
};

/// The components of the server. Starts them in the order of their registration, and stops every
/// started component. The components must outlive this object. For one thread.
class Components {
 public:
  /// Runs work, unless a backup holds the data folder.
  using UnlessHeld = std::function<void(const std::function<void()>& work)>;

  explicit Components(UnlessHeld unless_held) : unless_held_(std::move(unless_held)) {}
  ~Components() { stop(); }
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;

  /// @throws std::logic_error when the name is taken.
  void add(Component component);

  /// Starts all components. When a start throws, stops the components that were started before it,
  /// and throws the same exception.
  void start();
  /// Runs the maintenance of this scope of all components, in the order of their registration.
  void maintain(MaintenanceScope scope);
  /// Stops the started components, phase by phase. Does nothing when all are stopped.
  void stop();

 private:
  struct Entry {
    Component component;
    bool started = false;
  };

  const UnlessHeld unless_held_;
  std::vector<Entry> entries_;
};

}  // namespace spindle::app
