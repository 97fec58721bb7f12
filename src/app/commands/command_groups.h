#pragma once

#include "app/cli/command_line.h"
#include "config/loader.h"

namespace spindle::app {

// Each function executes the commands of one group with valid settings and prints the result.
// @return the exit status. @throws std::runtime_error with a message for the operator.

/// Runs the server until a signal stops it.
int runGroup(const config::Loaded& loaded, const ServeCommand& command);

// On the data folder, with or without a running server:
int runGroup(const config::Loaded& loaded, const IdentityCommand& command);
int runGroup(const config::Loaded& loaded, const PriceCommand& command);

// On a running server:
int runGroup(const config::Loaded& loaded, const TraceCommand& command);
int runGroup(const config::Loaded& loaded, const ArtifactCommand& command);
int runGroup(const config::Loaded& loaded, const AutomationCommand& command);
int runGroup(const config::Loaded& loaded, const InferenceCommand& command);
int runGroup(const config::Loaded& loaded, const NodeCommand& command);
int runGroup(const config::Loaded& loaded, const TrainingCommand& command);

/// Works on folders, and asks a running server to hold its files.
int runGroup(const config::Loaded& loaded, const BackupCommand& command);

/// Works on the two deployments that it names.
int migrate(const MigrateCommand& command);

/// Needs no settings.
int importModel(const ModelCommand& command);

}  // namespace spindle::app
