import type { WireVersion } from '../wire-endpoint.ts';

/** A field that differs between two versions; undefined: the version does not have the field. */
export interface ChangedField {
  /** The path in svc.yaml: `args.branch.default`. */
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Stored definitions have sorted keys; these fields are shown first. */
const FIRST = ['name', 'description', 'command'] as const;

type Definition = Pick<WireVersion, 'definition' | 'overrides'>;

/** The changes from one version to the next; `before` is undefined for the first version. */
export function changedFields(before: Definition | undefined, after: Definition): ChangedField[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...FIRST, ...now.keys(), ...old.keys()])]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after);
}

/** Overrides are fields of their own: removing one is a change. */
function fieldsOf(version: Definition | undefined): Map<string, string> {
  const fields = new Map<string, string>();
  if (version === undefined) return fields;
  addFields(fields, '', version.definition);
  addFields(fields, 'override of ', version.overrides);
  return fields;
}

function addFields(
  fields: Map<string, string>,
  prefix: string,
  record: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(record)) addValue(fields, prefix + name, value);
}

function addValue(fields: Map<string, string>, field: string, value: unknown): void {
  if (isArguments(value)) {
    // Arguments are keyed by name: a new first argument does not change those after it.
    for (const { name, ...rest } of value) {
      fields.set(`${field}.${name}`, 'declared');
      addFields(fields, `${field}.${name}.`, rest);
    }
  } else if (isRecord(value)) addFields(fields, `${field}.`, value);
  else fields.set(field, typeof value === 'string' ? value : JSON.stringify(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isArguments(
  value: unknown,
): value is readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isRecord(item) && typeof item.name === 'string')
  );
}
