// The dialogs of actions on calls, loaded when one is opened.

import { lazyView } from "../../ui/lazy";
import { toast } from "../../app/toasts";
import type { JobDialogProps } from "./job_dialog";

export type ActionName = "dataset" | "queue" | "score" | "delete";

function waiting({ onClose }: JobDialogProps, state: "loading" | "failed"): null {
  if (state === "failed") {
    toast({ kind: "error", text: "This part of the console could not be loaded. Load the page again." });
    onClose();
  }
  return null;
}

const DIALOGS = {
  dataset: lazyView<JobDialogProps>(() => import("./dataset_dialog").then(({ DatasetDialog }) => DatasetDialog), waiting),
  queue: lazyView<JobDialogProps>(() => import("./queue_dialog").then(({ QueueDialog }) => QueueDialog), waiting),
  score: lazyView<JobDialogProps>(() => import("./score_dialog").then(({ ScoreDialog }) => ScoreDialog), waiting),
  delete: lazyView<JobDialogProps>(() => import("./delete_dialog").then(({ DeleteDialog }) => DeleteDialog), waiting),
};

export function CallAction({ name, ...props }: JobDialogProps & { name: ActionName }) {
  const View = DIALOGS[name];
  return <View {...props} />;
}
