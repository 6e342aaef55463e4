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

/**
 * The message of an issue as a clause that follows its path: `"x": whole seconds expected`.
 *
 * A message names its key for readers of a file, who see a line and no path. After the path the name would stand twice.
 */
export function clauseOf({ path, message }: ValidationIssue): string {
  const unknown = `unknown key "${path.at(-1)}"`;
  if (message.startsWith(unknown)) return `unknown key${message.slice(unknown.length)}`;
  const names = path.map((_, index) => formatPath(path.slice(index)));
  // `slug` is another word for `name`.
  const name = [...names, 'slug'].find(
    (one) => message.startsWith(`${one} `) && FOUND.test(rest(message, one)),
  );
  return name === undefined ? message : rest(message, name);
}

/** What a message says about a value after its name: the value itself, or what it is or lacks. */
const FOUND = /^(?:["\d-]|(?:true|false|is|has)\b)/;

function rest(message: string, name: string): string {
  return message.slice(name.length + 1);
}

/** An issue with its path, for a reader who does not see the file. */
export function sentenceOf(issue: ValidationIssue): string {
  return issue.path.length === 0 ? issue.message : `${formatPath(issue.path)}: ${clauseOf(issue)}`;
}
