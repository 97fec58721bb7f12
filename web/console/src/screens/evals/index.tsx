// Evaluations: the list of runs with the leaderboard, or one run.

import type { ScreenProps } from "../../app/screen";
import { RunDetail } from "./run_detail";
import { Runs } from "./runs";

export default function Evaluations({ params }: ScreenProps) {
  return params.run ? <RunDetail key={params.run} id={params.run} /> : <Runs />;
}
