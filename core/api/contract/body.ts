import type { z } from 'zod';
import type { FieldProblem } from '../field-problem.ts';

/** The JSON body of a route. */
export interface RouteBody<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly example: z.input<Schema>;
  /** False: a request without a body counts as one with an empty object. */
  readonly isRequired: boolean;
  /** The problems beyond the schema in a body that the schema refuses, so that one answer lists everything. */
  readonly problemsBeyond?: (value: unknown) => readonly FieldProblem[];
}

/** A body: its schema, a `z.strictObject` whose fields name in `error` what they accept, and an example. */
export function body<Schema extends z.ZodType>(schema: Schema, example: z.input<Schema>): RouteBody<Schema> {
  return { schema, example, isRequired: true };
}

/** A body that may be left out. */
export function optionalBody<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): RouteBody<Schema> {
  return { schema, example, isRequired: false };
}
