export const PARSE_KINDS = [
  'json',
  'ndjson',
  'lines',
  'csv',
  'tsv',
  'table',
  'kv',
  'ini',
  'yaml',
  'regex',
  'jc',
] as const;
export type ParseKind = (typeof PARSE_KINDS)[number];

/** How a text of columns is read; all of it may be left out. */
export interface Shape {
  /** The names of the columns. The text then has no header, unless `header` is true: it is left out. */
  readonly columns?: readonly string[];
  /** Whether the first line has the names. Without it and without `columns`, each row is an array. */
  readonly header?: boolean;
  /** The separator of two values, or of a key and its value. */
  readonly delimiter?: string;
}

/** How a command's stdout becomes structured data (decision 27, the transformer). */
export interface Transform extends Shape {
  readonly parse: ParseKind;
  /** With named groups, for `parse: regex`. */
  readonly pattern?: string;
  /** A parser of the program jc, for `parse: jc`. */
  readonly parser?: string;
  /** How many lines at the start are left out. */
  readonly skip?: number;
  /** Reading ends before the first line that begins with this; with the empty text, before the first blank line. */
  readonly until?: string;
  /** A jq program that is applied to the parsed value. */
  readonly select?: string;
  /** The JSON Schema that the result must match; its type is `object`. Otherwise the transform fails. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly onError: 'fail' | 'raw';
}

/** The kinds that each key belongs to; the other keys belong to all. */
export const KINDS_OF_KEYS = {
  pattern: ['regex'],
  parser: ['jc'],
  columns: ['csv', 'tsv', 'table'],
  header: ['csv', 'tsv', 'table'],
  delimiter: ['csv', 'table', 'kv'],
} as const satisfies Partial<Record<keyof Transform, readonly ParseKind[]>>;
