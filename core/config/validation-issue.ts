/** The keys and list indexes that lead to a value. */
export type Path = readonly (string | number)[];

/**
 * Something wrong with a value of a definition. The position in a file is not known yet.
 *
 * `at` says which end of the path is meant: the value, or the key that names it. `offset` is a place inside a text value,
 * in UTF-16 code units.
 */
export interface ValidationIssue {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly offset?: number;
}

/** An issue of a value, or of one place inside a text value. */
export function atValue(path: Path, message: string, offset?: number): ValidationIssue {
  return { path, at: 'value', message, ...(offset === undefined ? {} : { offset }) };
}

/** An issue of a key. */
export function atKey(path: Path, message: string): ValidationIssue {
  return { path, at: 'key', message };
}

/** A path as people write it: `endpoints[0].args[1].default`. */
export function formatPath(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}
