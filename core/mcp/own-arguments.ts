import { z } from 'zod';
import { refuse } from '../refusal.ts';
import { DEFAULT_OUTPUT_LINES, MAX_OUTPUT_LINES } from './output-page.ts';
import { MAX_STATUS_WAIT_SEC } from './own-tools.ts';

// The arguments of the tools of svc, as `own-tools.ts` shows them to agents.

const id = z.uuid({ error: 'the id of an execution or run expected' });

function whole(from: number, to: number) {
  return z.int({ error: 'a whole number expected' }).min(from).max(to);
}

export const outputArguments = z.strictObject({
  id,
  from_line: whole(1, 1_000_000_000).default(1),
  lines: whole(1, MAX_OUTPUT_LINES).default(DEFAULT_OUTPUT_LINES),
  grep: z.string().max(1_000).optional(),
});
export const statusArguments = z.strictObject({ id, wait_s: whole(0, MAX_STATUS_WAIT_SEC).default(0) });
export const cancelArguments = z.strictObject({ id });

const text = z.string({ error: 'a text expected' });

export const findArguments = z.strictObject({ query: text.max(500) });
export const describeArguments = z.strictObject({ name: text });
export const runArguments = z.strictObject({
  name: text,
  // `z.record` would drop a name like `__proto__`, and no value may be dropped.
  args: z
    .custom<Readonly<Record<string, unknown>>>(isObject, {
      error: 'an object of argument names and values expected',
    })
    .default({}),
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the arguments of a tool; refuses wrong ones with `invalid_argument`. */
export function readArguments<Schema extends z.ZodType>(schema: Schema, args: unknown): z.output<Schema> {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  );
  throw refuse('invalid_argument', problems.join('; '));
}
