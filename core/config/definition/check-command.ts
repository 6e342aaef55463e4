import { compileCommand } from '../../endpoint/command/compile-command.ts';
import type { CommandProblem, Program } from '../../endpoint/command/program.ts';
import type { Argument } from '../../endpoint/definition.ts';
import { defaultDashProblems } from '../../endpoint/value/leading-dash.ts';
import { atValue, type Finding, type Path } from '../finding.ts';

export interface CheckedCommand {
  readonly program?: Program;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Compiles the command of the endpoint at `path`, and looks at the defaults that it would be given. */
export function checkCommand(
  command: string | undefined,
  args: readonly (Argument | undefined)[],
  path: Path,
): CheckedCommand {
  if (command === undefined) return { findings: [], warnings: [] };
  const known = args.filter((argument) => argument !== undefined);
  const compiled = compileCommand(command, known);
  const inCommand = ({ message, offset }: CommandProblem) => atValue([...path, 'command'], message, offset);
  if (compiled.kind === 'problems') return { findings: compiled.problems.map(inCommand), warnings: [] };
  const findings = defaultDashProblems(compiled.program, known).map(({ argument, message }) => {
    const index = args.findIndex((candidate) => candidate?.name === argument);
    return atValue([...path, 'args', index, 'default'], `argument "${argument}": ${message}`);
  });
  return { program: compiled.program, findings, warnings: compiled.notes.map(inCommand) };
}
