// Datasets: the list, or one dataset.

import type { ScreenProps } from "../../app/screen";
import { DatasetDetail } from "./detail";
import { DatasetList } from "./list";

export default function Datasets({ params }: ScreenProps) {
  return params.id ? <DatasetDetail key={params.id} id={params.id} /> : <DatasetList />;
}
