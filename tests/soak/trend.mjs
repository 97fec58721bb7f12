// The result of a soak test: growth after the warm-up, as the difference between the means of the first and the last
// third of the samples.

const WARM_UP = 0.25; // of all samples
const MEMORY = 0.05;
const FILES = 0.05;
const FOLDER = 0.1;

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Returns the relative growth from the mean of the first third to that of the last. */
export function growthOf(numbers) {
  const third = Math.max(1, Math.floor(numbers.length / 3));
  const first = mean(numbers.slice(0, third));
  return first === 0 ? 0 : mean(numbers.slice(-third)) / first - 1;
}

export const growth = (part) => `${part >= 0 ? "+" : ""}${(part * 100).toFixed(1)} %`;

/** Evaluates samples {resident, files, folder, data} that are evenly spaced in time. */
export function verdictOf(samples) {
  const kept = samples.slice(Math.ceil(samples.length * WARM_UP));
  const faults = [];
  if (kept.length < 6) return { memory: 0, files: 0, folder: 0, faults: [`only ${kept.length} samples after the warm-up`] };
  const memory = growthOf(kept.map(({ resident }) => resident));
  const files = growthOf(kept.map(({ files: open }) => open));
  const folder = growthOf(kept.map(({ folder: bytes, data }) => bytes / data));
  if (memory > MEMORY) faults.push(`memory grows by ${growth(memory)}`);
  if (files > FILES) faults.push(`open files grow by ${growth(files)}`);
  if (folder > FOLDER) faults.push(`the folder grows faster than the data, by ${growth(folder)}`);
  return { memory, files, folder, faults };
}
