export const PARSE_KINDS = ['json', 'ndjson', 'lines', 'csv', 'tsv', 'table', 'kv', 'yaml', 'regex'] as const;
export type ParseKind = (typeof PARSE_KINDS)[number];

/** How a command's stdout becomes structured data (decision 27, the transformer). */
export interface Transform {
  readonly parse: ParseKind;
  /** With named groups, for `parse: regex`. */
  readonly pattern?: string;
  /** A jq program that is applied to the parsed value. */
  readonly select?: string;
  readonly onError: 'fail' | 'raw';
}
