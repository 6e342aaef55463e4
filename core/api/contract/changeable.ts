import { z } from 'zod';

/** A field without its default and not optional: its value when given. */
type Bare<Field> =
  Field extends z.ZodDefault<infer Inner> ? Inner : Field extends z.ZodOptional<infer Inner> ? Inner : Field;

/** The fields of a change, all optional. */
export type Changeable<Shape extends z.ZodRawShape> = {
  readonly [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Bare<Shape[Key]> & z.ZodType>>;
};

/**
 * Turns fields into those of a change: each may be left out, and null removes it.
 *
 * NOTE: `partial()` would be wrong: zod fills defaults into optional fields, so absent fields would change.
 */
export function changeable<Shape extends z.ZodRawShape>(shape: Shape): Changeable<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const optional = bare(field as z.ZodType)
      .nullable()
      .optional();
    const { description } = field as z.ZodType;
    return [name, description === undefined ? optional : optional.describe(description)] as const;
  });
  return Object.fromEntries(fields) as unknown as Changeable<Shape>;
}

function bare(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodDefault || field instanceof z.ZodOptional
    ? bare(field.unwrap() as z.ZodType)
    : field;
}
