import type { z } from 'zod';

/** Whether a value is a map. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The keys of a value that match the schema, with defaults filled in. Keys that do not match are left out.
 *
 * So one mistake does not hide the next: the valid keys are checked further.
 */
export function soundParts<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
): Partial<z.output<Schema>> {
  if (!isMapping(value)) return {};
  const parts = Object.entries(schema.shape).flatMap(([key, part]) => {
    const parsed = (part as z.ZodType).safeParse(Object.hasOwn(value, key) ? value[key] : undefined);
    return parsed.success && parsed.data !== undefined ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(parts) as Partial<z.output<Schema>>;
}
