// The runs of a project, one of them, or several compared.

import { type ScreenProps, useProject } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { Compare } from "./compare";
import { RunDetail } from "./run_detail";
import { RunList } from "./run_list";

export default function Runs({ params }: ScreenProps) {
  const { id: project } = useProject();
  const [compared] = useUrlState("compare", codecs.list());
  if (params.id) return <RunDetail key={params.id} id={params.id} />;
  return compared.length > 0 ? <Compare project={project} ids={compared} /> : <RunList project={project} />;
}
