/** `created_at_ms` is `createdAtMs` in code. */
type CamelCase<Name> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;
type SnakeCase<Name> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Rest>}`
  : Name;

/** A row in code: names in camelCase, and undefined for null. */
export type RecordOf<Row> = {
  readonly [Column in keyof Row as CamelCase<Column & string>]: null extends Row[Column]
    ? NonNullable<Row[Column]> | undefined
    : Row[Column];
};

/** A record as a row: names in snake_case, and null for undefined. */
export type RowOf<Record> = {
  -readonly [Field in keyof Record as SnakeCase<Field & string>]: undefined extends Record[Field]
    ? NonNullable<Record[Field]> | null
    : Record[Field];
};

/**
 * Translates a row whose columns are the fields of a record. Executions have functions of their own, because each call
 * translates one, and a loop over names takes ten times as long.
 */
export function recordOf<Row extends object>(row: Row): RecordOf<Row> {
  return renamed(row, camelCase, null, undefined) as RecordOf<Row>;
}

/** Translates a record whose fields are the columns of a row. */
export function rowOf<Record extends object>(record: Record): RowOf<Record> {
  return renamed(record, snakeCase, undefined, null) as RowOf<Record>;
}

function renamed(from: object, rename: (name: string) => string, absent: unknown, instead: unknown): object {
  const to: Record<string, unknown> = {};
  for (const name in from) {
    const value = from[name as keyof typeof from];
    to[rename(name)] = value === absent ? instead : value;
  }
  return to;
}

const camelCase = remembered((column) =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
);
const snakeCase = remembered((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The schema has a few hundred names. */
function remembered(rename: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const after = rename(name);
    known.set(name, after);
    return after;
  };
}
