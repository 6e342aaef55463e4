import type { Statement, StatementText, Value } from './statement.ts';

/** A compiled query that reads. `row` exists only for the compiler: it is the type of the rows. */
export interface Query<Row> {
  readonly sql: string;
  readonly values: readonly Value[];
  /** True for a text with variable parts, which is not worth preparing. */
  readonly isOnce?: true;
  readonly row?: Row;
}

/** The common part of Kysely's builders; `parameters` are the values of `?` or `$1` in the text. */
export interface Compilable<Row> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[]; readonly rows?: Row };
}

/** The row type of a builder of Kysely, which carries it in `compile`. */
type RowOf<Builder> = Builder extends { execute(): Promise<(infer Row)[]> } ? Row : never;

/** A placeholder in a query; each use supplies its value. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a query that reads once. Each use then only fills in values: building it again costs five times as much as the
 * point read.
 *
 * `build` gets slots in place of values and must not inspect them.
 */
export function reading<Given extends object, Builder extends Compilable<unknown>>(
  build: (slots: Given) => Builder,
): (given: Given) => Query<RowOf<Builder>> {
  const { sql, fill } = compile(build);
  return (given) => ({ sql, values: fill(given) });
}

/** The same for a statement that writes, with the expectation that it adds to its unit. */
export function writing<Given extends object, Tag extends string = never>(
  build: (slots: Given) => Compilable<unknown>,
  expected: Omit<StatementText<Tag>, 'sql'> = {},
): (given: Given) => Statement<Tag> {
  const { sql, fill } = compile(build);
  const text: StatementText<Tag> = { sql, ...expected };
  return (given) => ({ text, values: fill(given) });
}

/** A query that is built for one use. */
export function once<Builder extends Compilable<unknown>>(builder: Builder): Query<RowOf<Builder>> {
  const { sql, parameters } = builder.compile();
  return { sql, values: parameters.map((value) => storable(value as Value)), isOnce: true };
}

/** The slots of these columns, as a row to insert. */
export function slotsOf<Row, Column extends keyof Row>(
  slots: Row,
  columns: readonly Column[],
): Pick<Row, Column> {
  return Object.fromEntries(columns.map((column) => [column, slots[column]])) as Pick<Row, Column>;
}

function compile<Given extends object>(build: (slots: Given) => Compilable<unknown>) {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as Given;
  const { sql, parameters } = build(slots).compile();
  const fill = (given: Given): Value[] =>
    parameters.map((part) =>
      storable((part instanceof Slot ? given[part.name as keyof Given] : part) as Value),
    );
  return { sql, fill };
}

/**
 * PostgreSQL stores no text with NUL. Text from agents and callers may contain NUL, and must not make the whole write fail.
 */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
