import type { z } from 'zod';

/** The JSON object that a route expects. */
export interface RouteBody<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly example: z.input<Schema>;
  /** False: a request without a body is one with an empty object. */
  readonly isRequired: boolean;
}

/** A body by its schema, a `z.strictObject` whose fields say in `error` what they accept; with an example that fits it. */
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
