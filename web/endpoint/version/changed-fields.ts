import type { WireVersion } from '../wire-endpoint.ts';

/** One field that two versions do not share; undefined: that version does not have it. */
export interface ChangedField {
  /** As svc.yaml would lead to it: `args.branch.default`. */
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Definitions are stored with their keys in the order of the alphabet; people look for these. */
const FIRST = ['name', 'description', 'command'] as const;

type Definition = Pick<WireVersion, 'definition' | 'overrides'>;

/** What a version changed of the one before, what it runs first; undefined: there was none. */
export function changedFields(before: Definition | undefined, after: Definition): ChangedField[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...FIRST, ...now.keys(), ...old.keys()])]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after);
}

/** Overrides hold instead of what the file says, and are fields of their own: taking one away is a change. */
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
    // Told by name: an argument that was put in front does not change those behind it.
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
