import { type ConfigSource, readConfig } from '@svc/agent/config-source';
import type { Problem } from '@svc/core/config/problem';
import { formatProblems, requireConfig } from '../config.ts';
import { contentsOf } from '../config-contents.ts';
import { EXIT } from '../failure.ts';
import { type Row, writeRows } from '../terminal.ts';

/** `svc validate`: what is wrong with the file, or that nothing is. */
export function validate(path: string): void {
  const { config, warnings } = requireConfig(readConfig(path), path);
  const rows: Row[] = formatProblems(path, warnings).map((text) => ({
    label: 'warning',
    text,
    tone: 'warning',
  }));
  const summary = `${path}: ${contentsOf(config)}, no problems`;
  writeRows(process.stdout, [...rows, { label: 'valid', text: summary }]);
}

/** `svc validate --json`: the same as one JSON object, for programs. */
export function validateForPrograms(path: string): void {
  const report = reportOn(path, readConfig(path));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  if (!report.valid) process.exitCode = EXIT.badInput;
}

interface Report {
  readonly file: string;
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

function reportOn(file: string, source: ConfigSource): Report {
  switch (source.kind) {
    case 'config':
      return { file, valid: true, problems: [], warnings: source.warnings };
    case 'problems':
      return { file, valid: false, problems: source.problems, warnings: [] };
    case 'unreadable': {
      const problem = { line: 1, column: 1, message: source.message, path: '' };
      return { file, valid: false, problems: [problem], warnings: [] };
    }
  }
}
