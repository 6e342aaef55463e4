import { cutLines } from './cut-lines.ts';
import { parseJson, parseNdjson } from './json/parse-json.ts';
import { arrayOf } from './json-writer.ts';
import { parseCsv, parseTsv } from './parse-csv.ts';
import { parseIni } from './parse-ini.ts';
import { parseKeyValues } from './parse-key-values.ts';
import { parseRegex } from './parse-regex.ts';
import { parseYaml } from './parse-yaml.ts';
import { splitLines } from './split-lines.ts';
import { parseTable } from './table/parse-table.ts';
import type { ParseKind, Transform } from './transform.ts';
import { Unreadable } from './unreadable.ts';

/** `json` is one line of JSON text: the numbers of JSON output keep all their digits. */
export type Parsed =
  | { readonly kind: 'parsed'; readonly json: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The keys that say how to read. */
export type Reading = Omit<Transform, 'select' | 'onError'>;

type Parser = (text: string, transform: Reading) => string;

const PARSERS = {
  json: parseJson,
  ndjson: parseNdjson,
  lines: (text) =>
    arrayOf(
      splitLines(text)
        .values()
        .map((line) => JSON.stringify(line)),
    ),
  csv: parseCsv,
  tsv: parseTsv,
  table: parseTable,
  kv: parseKeyValues,
  ini: parseIni,
  yaml: parseYaml,
  regex: (text, { pattern }) => parseRegex(text, pattern ?? ''),
  // The output of the program jc, which the runner starts.
  jc: parseJson,
} as const satisfies Record<ParseKind, Parser>;

/**
 * Reads a command's whole output as `parse` says (decision 27, the transformer); `select` is not applied.
 *
 * Values are strings but for `json`, `ndjson` and `yaml`, which have types of their own. A name that occurs more than once in
 * one object (CSV columns, keys) holds the array of its values, so that nothing is lost. Hostile text may take very long
 * (`regex`, `yaml`): run it where it can be killed.
 */
export function parseOutput(transform: Reading, text: string): Parsed {
  try {
    const parse: Parser = PARSERS[transform.parse];
    return { kind: 'parsed', json: parse(cutLines(text, transform), transform) };
  } catch (error) {
    if (error instanceof Unreadable)
      return { kind: 'failed', reason: `${transform.parse}: ${error.message}` };
    throw error;
  }
}
