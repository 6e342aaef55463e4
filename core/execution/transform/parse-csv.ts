import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { arrayOf, objectWriter } from './json-writer.ts';
import { Unreadable } from './unreadable.ts';

/** RFC 4180 with a header row: an object per record. Blank lines are skipped; a record of another length is an error. */
export function parseCsv(text: string): string {
  return parseRecords(text, { delimiter: ',', quote: '"' });
}

/** The same with tabs and, as IANA's text/tab-separated-values has it, without quoting: a `"` is a character like any other. */
export function parseTsv(text: string): string {
  return parseRecords(text, { delimiter: '\t', quote: null });
}

interface Dialect {
  readonly delimiter: string;
  readonly quote: string | null;
}

function parseRecords(text: string, dialect: Dialect): string {
  const [header, ...records] = readRecords(text, dialect);
  return header === undefined ? '[]' : arrayOf(records.values().map(objectWriter(header)));
}

function readRecords(text: string, { delimiter, quote }: Dialect): string[][] {
  try {
    return parse(text, {
      delimiter,
      quote,
      escape: quote,
      record_delimiter: ['\n', '\r\n'],
      skip_empty_lines: true,
    });
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(error.message);
    throw error;
  }
}
