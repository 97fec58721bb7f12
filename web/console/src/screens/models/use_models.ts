// The trained models of a project.

import { type QueryState, useQuery } from "../../api/cache";
import { allPages } from "../../api/paging";
import { type TrainedModelDetail, listTrainedModels } from "../../api/training";

export function useTrainedModels(project: string): QueryState<TrainedModelDetail[]> {
  return useQuery({
    key: ["trained models", project],
    read: (signal) => allPages((cursor) => listTrainedModels({ project, cursor, limit: 200 }, signal)),
  });
}
