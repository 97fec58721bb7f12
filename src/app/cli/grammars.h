#pragma once

#include "app/cli/command_builder.h"

namespace spindle::app {

// Each function adds the commands of one grammar file. The order of the calls is the order of the
// commands in help texts.

void addServerCommands(CommandBuilder& builder);      ///< serve, config, doctor, version, help
void addIdentityCommands(CommandBuilder& builder);    ///< user, team, key, login-link
void addPriceCommands(CommandBuilder& builder);       ///< prices
void addTraceCommands(CommandBuilder& builder);       ///< traces
void addArtifactCommands(CommandBuilder& builder);    ///< artifact
void addModelImport(CommandBuilder& builder);         ///< model import
void addAutomationCommands(CommandBuilder& builder);  ///< secret, webhook, automation, deliveries
void addInferenceCommands(CommandBuilder& builder);   ///< model, engine, upstream, limit, usage
void addNodeCommands(CommandBuilder& builder);        ///< node
void addTrainingCommands(CommandBuilder& builder);    ///< train, trajectories
void addBackupCommands(CommandBuilder& builder);      ///< backup, restore, verify
void addMigrateCommand(CommandBuilder& builder);      ///< migrate

}  // namespace spindle::app
