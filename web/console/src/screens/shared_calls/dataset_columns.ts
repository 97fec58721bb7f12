// The columns of a dataset and the values of a call that fill them.

export interface ColumnPath {
  name: string;
  path: string;
}

const PATH = /^(id|trace_id|op_name|display_name|exception|ref|(inputs|output|attributes|summary)(\..+)?)$/;

/** Returns what is wrong with the columns, or null. */
export function columnsProblem(columns: readonly ColumnPath[]): string | null {
  const named = columns.filter(({ name, path }) => name.trim() !== "" || path.trim() !== "");
  if (named.length === 0) return "A dataset needs a column.";
  const wrong = named.find(({ name, path }) => name.trim() === "" || !PATH.test(path.trim()));
  if (wrong) return `Write a name and a path such as inputs.question, output or ref${wrong.path ? `, not ${wrong.path}` : ""}.`;
  const names = named.map(({ name }) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `Two columns are named ${twice}.`;
}
