// The fields that annotators of a project fill in.

import type { ObjectVersion } from "../../api/objects";

export type AnnotationKind =
  | { kind: "flag" }
  | { kind: "number"; integer: boolean; min: number | null; max: number | null }
  | { kind: "choice"; values: string[] }
  | { kind: "text"; most: number | null };

export interface AnnotationField {
  /** The name of the object. */
  id: string;
  ref: string;
  title: string;
  about: string;
  field: AnnotationKind;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Reads the JSON schema of a field. Anything it cannot ask for becomes a text. */
export function annotationKind(schema: Record<string, unknown>): AnnotationKind {
  if (Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === "string")) return { kind: "choice", values: schema.enum };
  if (schema.type === "boolean") return { kind: "flag" };
  if (schema.type === "number" || schema.type === "integer") {
    return { kind: "number", integer: schema.type === "integer", min: numberOf(schema.minimum), max: numberOf(schema.maximum) };
  }
  return { kind: "text", most: numberOf(schema.maxLength) };
}

export function annotationField(project: string, { object_id: id, digest, val }: ObjectVersion): AnnotationField | null {
  if (typeof val !== "object" || val === null) return null;
  const { name, description, field_schema: schema } = val as Record<string, unknown>;
  const fields = typeof schema === "object" && schema !== null ? (schema as Record<string, unknown>) : {};
  return {
    id, ref: `svc:///${project}/object/${id}:${digest}`,
    title: typeof name === "string" && name !== "" ? name : id,
    about: typeof description === "string" ? description : "",
    field: annotationKind(fields),
  };
}
