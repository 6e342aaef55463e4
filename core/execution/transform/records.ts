import { arrayOf, objectWriter } from './json-writer.ts';
import type { Shape } from './transform.ts';
import { Unreadable } from './unreadable.ts';

/** JSON text of records: objects by the names of `columns` or of the first record, arrays without names. */
export function recordsText(
  all: readonly (readonly string[])[],
  { columns, header = columns === undefined }: Shape,
): string {
  const records = header ? all.slice(1) : all;
  const names = columns ?? (header ? all[0] : undefined);
  if (names === undefined) return arrayOf(records.values().map((record) => JSON.stringify(record)));
  const write = objectWriter(names);
  return arrayOf(
    records.values().map((record, index) => {
      if (record.length === names.length) return write(record);
      const what = `${record.length} values for ${names.length} columns`;
      throw new Unreadable(`record ${index + 1 + (header ? 1 : 0)}: ${what}`);
    }),
  );
}
