import { listItems, listText } from '@svc/core/endpoint/value/list';
import type { WireArgument } from '../wire-endpoint.ts';

/** The values of a run form by argument; an argument without an entry is left out of the call. */
export type RunValues = ReadonlyMap<string, string>;

/** The chosen files of a run form by argument. */
export type RunFiles = ReadonlyMap<string, File>;

/** The kind of field for an argument. */
export type RunField =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text'; readonly inputMode: 'text' | 'numeric' | 'decimal' | 'url' }
  | { readonly kind: 'list' }
  | { readonly kind: 'file' }
  | { readonly kind: 'secret' };

export function fieldOf({ type, secret, choices = [] }: WireArgument): RunField {
  if (secret) return { kind: 'secret' };
  switch (type) {
    case 'boolean':
      return { kind: 'choice', choices: ['true', 'false'] };
    case 'enum':
      return { kind: 'choice', choices };
    case 'integer':
      return { kind: 'text', inputMode: 'numeric' };
    case 'number':
      return { kind: 'text', inputMode: 'decimal' };
    case 'url':
      return { kind: 'text', inputMode: 'url' };
    case 'list':
      return { kind: 'list' };
    case 'file':
      return { kind: 'file' };
    case 'json':
    case 'word':
    case 'path':
    case 'ref':
    case 'text':
    case 'code':
      return { kind: 'text', inputMode: 'text' };
  }
}

/** Whether the empty string can be a value of the argument. */
export function acceptsEmpty({ type }: WireArgument): boolean {
  return type === 'text' || type === 'code';
}

/** The lines of a list's field; the value itself is the JSON text of the items. */
export function linesOf(value: string | undefined): string {
  return value === undefined ? '' : listItems(value).join('\n');
}

/** The list of the lines that are not empty; undefined without any. */
export function listOfLines(lines: string): string | undefined {
  const items = lines.split('\n').filter((line) => line !== '');
  return items.length === 0 ? undefined : listText(items);
}

/** Whether a call must give the argument: it is required and has no default. */
export function needsValue({ required, default: fallback }: WireArgument): boolean {
  return required && fallback === undefined;
}

/** The values after one change; undefined removes the argument. */
export function withValue<Value>(
  values: ReadonlyMap<string, Value>,
  name: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  const next = new Map(values);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}

/** The values of an earlier execution for the arguments that still exist. Secrets were not kept and stay empty. */
export function earlierValues(
  args: readonly WireArgument[],
  earlier: Readonly<Record<string, string | null>>,
): RunValues {
  const known = args.filter(({ name, secret }) => !secret && Object.hasOwn(earlier, name));
  return new Map(
    known.flatMap(({ name }): [string, string][] => {
      const value = earlier[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** The body of `POST /executions`. Values are strings: `1.10` stays `1.10`. */
export function executionBody(endpoint: string, values: RunValues) {
  return { endpoint, args: Object.fromEntries(values) };
}
