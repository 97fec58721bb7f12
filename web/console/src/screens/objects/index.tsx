// Prompts, models, scorers, ops and other objects: lists by kind, or one object.

import { NotFound } from "../../app/not_found";
import type { ScreenProps } from "../../app/screen";
import { classOf } from "./classes";
import { ObjectDetail } from "./detail";
import { ObjectList } from "./list";

export default function Objects({ params }: ScreenProps) {
  const kind = classOf(params.class);
  if (!kind) return <NotFound />;
  return params.id ? <ObjectDetail key={params.id} kind={kind} id={params.id} /> : <ObjectList kind={kind} />;
}
