/** A problem of a config file and its position. Line and column count from 1, columns in UTF-16 code units. */
export interface ConfigProblem {
  /** One sentence that names the value and what is accepted. */
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** The path of keys, such as `endpoints[0].timeout`; empty for the file as a whole. */
  readonly path: string;
}

/** One line for people and editors: `svc.yaml:14:15: minute "75": 0-59 expected`. */
export function formatProblem(file: string, problem: ConfigProblem): string {
  return `${file}:${problem.line}:${problem.column}: ${problem.message}`;
}
