// Annotation: the list of queues, or one queue.

import type { ScreenProps } from "../../app/screen";
import { QueueDetail } from "./detail";
import { QueueList } from "./list";

export default function Queues({ params }: ScreenProps) {
  return params.id ? <QueueDetail key={params.id} id={params.id} /> : <QueueList />;
}
