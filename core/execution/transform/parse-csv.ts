import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { recordsText } from './records.ts';
import type { Shape } from './transform.ts';
import { Unreadable } from './unreadable.ts';

/** RFC 4180: an object per record, named by the header or by `columns`. Blank lines are skipped; a record of another length is an error. */
export function parseCsv(text: string, shape: Shape = {}): string {
  return parseRecords(text, { delimiter: shape.delimiter ?? ',', quote: '"' }, shape);
}

/** The same with tabs and, as IANA's text/tab-separated-values has it, without quoting: a `"` is a character like any other. */
export function parseTsv(text: string, shape: Shape = {}): string {
  return parseRecords(text, { delimiter: '\t', quote: null }, shape);
}

interface Dialect {
  readonly delimiter: string;
  readonly quote: string | null;
}

function parseRecords(text: string, dialect: Dialect, shape: Shape): string {
  return recordsText(readRecords(text, dialect), shape);
}

function readRecords(text: string, { delimiter, quote }: Dialect): string[][] {
  try {
    return parse(text, {
      delimiter,
      quote,
      escape: quote,
      // Files of old Macs have carriage returns alone.
      record_delimiter: text.includes('\n') ? ['\n', '\r\n'] : ['\r'],
      skip_empty_lines: true,
    });
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(error.message);
    throw error;
  }
}
