/** The keys and list indexes that lead to a value. */
export type Path = readonly (string | number)[];

/**
 * Something wrong with a value of a definition, before anybody knows where it was written.
 *
 * `at` says which end of the path is meant: the value, or the key that names it. `offset` is a place inside a value that
 * is text, in UTF-16 code units.
 */
export interface ValidationIssue {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly offset?: number;
}

/** Something wrong with a value, or with one place inside it when the value is text. */
export function atValue(path: Path, message: string, offset?: number): ValidationIssue {
  return { path, at: 'value', message, ...(offset === undefined ? {} : { offset }) };
}

/** Something wrong with a key itself. */
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
