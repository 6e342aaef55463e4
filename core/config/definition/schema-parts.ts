import { z } from 'zod';

// The kinds of values in svc.yaml. `error` names what is accepted; messages are built around it.

/** Text that is not empty. */
export function textSchema(error = 'text') {
  return z.string({ error }).min(1, { error });
}

/** Text of one form; `error` says which. */
export function pattern(regex: RegExp, error: string) {
  return z.string({ error }).regex(regex, { error });
}

/** A whole number within bounds. */
export function wholeNumberSchema(min: number, max: number, what = 'a whole number') {
  const error = `${what} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** One of some words. `named` are those that the message lists. */
export function oneOfSchema<const Values extends readonly [string, ...string[]]>(
  values: Values,
  named: readonly string[] = values,
) {
  return z.enum(values, { error: `${named.slice(0, -1).join(', ')} or ${named.at(-1)}` });
}

/** `true` or `false`. */
export function flagSchema() {
  return z.boolean({ error: 'true or false' });
}

/** A list whose message names its items. */
export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `a list of ${what}` });
}

/** A value that is kept as its written text. */
export function scalar() {
  return z.union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' });
}
