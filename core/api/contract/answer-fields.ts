import { z } from 'zod';

/** A value as an answer shows it: a scalar that a definition may write in several ways is text. */
type AnswerValue<Value> = unknown extends Value
  ? unknown
  : [string] extends [Value]
    ? string
    : Value extends readonly (infer Item)[]
      ? AnswerValue<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: AnswerValue<Value[Key]> }
        : Value;

type AnswerType<Field> = z.ZodType<
  AnswerValue<Exclude<z.output<Field>, undefined>>,
  AnswerValue<Exclude<z.output<Field>, undefined>>
>;

/** Fields of an answer: those that a definition may leave out are null, or are left out too. */
export type AnswerFields<Shape extends z.ZodRawShape, Absent extends 'null' | 'left out'> = {
  readonly [Key in keyof Shape]: Shape[Key] extends z.ZodOptional
    ? Absent extends 'null'
      ? z.ZodNullable<AnswerType<Shape[Key]>>
      : z.ZodOptional<AnswerType<Shape[Key]>>
    : AnswerType<Shape[Key]>;
};

/**
 * The fields of a definition as an answer has them. An answer promises types and not bounds: what an older version stored, or
 * an override made of a list, stays readable.
 */
export function answerFields<Shape extends z.ZodRawShape, Absent extends 'null' | 'left out'>(
  shape: Shape,
  absent: Absent,
): AnswerFields<Shape, Absent> {
  const fields = Object.entries(shape).map(([name, field]) => {
    const { description } = field as z.ZodType;
    const type = withAbsent(field as z.ZodType, absent);
    return [name, description === undefined ? type : type.describe(description)] as const;
  });
  return Object.fromEntries(fields) as unknown as AnswerFields<Shape, Absent>;
}

/** The same fields without a value: the defaults of the definition, and null. */
export function answerDefaults<Shape extends z.ZodRawShape>(shape: Shape) {
  const values = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodDefault ? field.parse(undefined) : null,
  ]);
  return Object.fromEntries(values) as {
    readonly [Key in keyof Shape]: z.input<AnswerFields<Shape, 'null'>[Key]>;
  };
}

function withAbsent(field: z.ZodType, absent: 'null' | 'left out'): z.ZodType {
  if (!(field instanceof z.ZodOptional)) return unbounded(field);
  const type = unbounded(field.unwrap() as z.ZodType);
  return absent === 'null' ? type.nullable() : type.optional();
}

function unbounded(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodDefault) return unbounded(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodArray) return z.array(unbounded(field.element as z.ZodType));
  if (field instanceof z.ZodRecord) return z.record(z.string(), unbounded(field.valueType as z.ZodType));
  if (field instanceof z.ZodEnum) return z.enum(field.options as string[]);
  if (field instanceof z.ZodBoolean) return z.boolean();
  if (field instanceof z.ZodUnknown) return z.unknown();
  if (field instanceof z.ZodNumber) return field.isInt ? z.int() : z.number();
  return z.string();
}
