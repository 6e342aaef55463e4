import type { Statement, StatementText, Value } from './statement.ts';

/** A query that reads, ready to run. `row` exists for the compiler only: the type of what it gives. */
export interface Query<Row> {
  readonly sql: string;
  readonly values: readonly Value[];
  /** True for a text that is not fixed, and so not worth preparing. */
  readonly isOnce?: true;
  readonly row?: Row;
}

/** The common part of Kysely's builders; `parameters` are the values of `?` or `$1` in the text. */
export interface Compilable<Row> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[]; readonly rows?: Row };
}

/** The row type of a builder of Kysely, which carries it in `compile`. */
type RowOf<Builder> = Builder extends { execute(): Promise<(infer Row)[]> } ? Row : never;

/** A placeholder in a query; each use brings its value. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a query that reads once; each use then only fills in its values: building anew costs five times the point read.
 *
 * `build` is given slots in place of values and must not look at them.
 */
export function reading<Given extends object, Builder extends Compilable<unknown>>(
  build: (slots: Given) => Builder,
): (given: Given) => Query<RowOf<Builder>> {
  const { sql, fill } = compile(build);
  return (given) => ({ sql, values: fill(given) });
}

/** The same for a statement that writes, with the expectation of its unit. */
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

/** PostgreSQL has no text with NUL in it; text of agents and callers may have, and must not stop what it belongs to. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
