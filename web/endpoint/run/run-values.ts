import type { WireArgument } from '../wire-endpoint.ts';

/** What a form holds: a value for each argument that was given one; whatever is not in it is left out of the call. */
export type RunValues = ReadonlyMap<string, string>;

/** How an argument is asked for. */
export type RunField =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text'; readonly inputMode: 'text' | 'numeric' | 'decimal' | 'url' }
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
    case 'word':
    case 'path':
    case 'ref':
    case 'text':
    case 'code':
      return { kind: 'text', inputMode: 'text' };
  }
}

/** Empty text may be a value like any other. */
export function takesText({ type }: WireArgument): boolean {
  return type === 'text' || type === 'code';
}

/** A call must say it: nothing stands in for it. */
export function isDemanded({ required, default: fallback }: WireArgument): boolean {
  return required && fallback === undefined;
}

/** The form after a change; undefined leaves the argument out. */
export function withValue(values: RunValues, name: string, value: string | undefined): RunValues {
  const next = new Map(values);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}

/** The values of an earlier execution, as far as the endpoint still takes them; secrets were not kept and are asked for again. */
export function valuesAgain(
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

/** The body of `POST /executions`. Values are text: `1.10` stays `1.10`. */
export function executionBody(endpoint: string, values: RunValues) {
  return { endpoint, args: Object.fromEntries(values) };
}
