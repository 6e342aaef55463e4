import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import type { ConfigProblem } from '@svc/core/config/problem';
import { formatProblems, requireConfig } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import { EXIT, Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { explained, explainRows, strictProblems, typeRows } from './explain.ts';
import { withSelectsChecked } from './select-problems.ts';

/** The options of `svc validate`. */
export interface ValidateOptions {
  /** Shows how each value reaches its program. */
  readonly explain: boolean;
  /** Refuses a `text` that reaches a program not known to take it as data. */
  readonly strict: boolean;
}

/** `svc validate`: prints the problems of the file, or that there are none. */
export async function validate(path: string, { explain, strict }: ValidateOptions): Promise<void> {
  const { config, warnings } = requireConfig(await withSelectsChecked(path, readConfig(path)), path);
  const rows: FactRow[] = formatProblems(path, warnings).map((text) => ({
    label: 'warning',
    text,
    tone: 'warning',
  }));
  const { endpoints } = config;
  const details = strict ? strictProblems(endpoints) : [];
  if (details.length > 0) throw new Failure(`${plural(details.length, 'problem')} in ${path}`, { details });
  rows.push(...typeRows(endpoints), ...(explain ? explainRows(endpoints) : []));
  const summary = `${path}: ${contentsOf(config)}, no problems`;
  writeRows(process.stdout, [...rows, { label: 'valid', text: summary }]);
}

/** `svc validate --json`: prints one JSON object. */
export async function validateForPrograms(path: string, options: ValidateOptions): Promise<void> {
  const report = reportOn(path, await withSelectsChecked(path, readConfig(path)), options);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (!report.valid) process.exitCode = EXIT.badInput;
}

interface Report {
  readonly file: string;
  readonly valid: boolean;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  readonly endpoints: ReturnType<typeof explained>;
  /** The problems of `--strict`; absent without it. */
  readonly strict?: readonly string[];
}

function reportOn(file: string, source: ConfigSource, { explain, strict }: ValidateOptions): Report {
  switch (source.kind) {
    case 'config': {
      const { endpoints } = source.config;
      const refused = strict ? strictProblems(endpoints) : [];
      return {
        file,
        valid: refused.length === 0,
        problems: [],
        warnings: source.warnings,
        endpoints: explained(endpoints, explain),
        ...(strict ? { strict: refused } : {}),
      };
    }
    case 'problems':
      return { file, valid: false, problems: source.problems, warnings: [], endpoints: [] };
    case 'unreadable': {
      const problem = { line: 1, column: 1, message: source.message, path: '' };
      return { file, valid: false, problems: [problem], warnings: [], endpoints: [] };
    }
  }
}
