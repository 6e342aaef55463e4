import type { Travel } from '../../endpoint/command/check-types.ts';
import { compileCommand } from '../../endpoint/command/compile-command.ts';
import type { Argument, ArgumentType, DeclaredArgument } from '../../endpoint/definition.ts';
import type { CommandProblem, Program } from '../../endpoint/program.ts';
import { typoNotes } from '../../endpoint/typo-notes.ts';
import { defaultDashProblems } from '../../endpoint/value/leading-dash.ts';
import { atValue, type Path, type ValidationIssue } from '../validation-issue.ts';

export interface CheckedCommand {
  readonly program?: Program;
  /** The arguments with their types, at their positions in the list; empty if the command does not compile. */
  readonly args: readonly (Argument | undefined)[];
  readonly travel: readonly Travel[];
  readonly issues: readonly ValidationIssue[];
  readonly warnings: readonly ValidationIssue[];
}

const NOTHING = { args: [], travel: [], issues: [], warnings: [] } as const;

/** Compiles the command of the endpoint at `path`, and checks the defaults of its arguments. */
export function checkCommand(
  command: string | undefined,
  declared: readonly (DeclaredArgument | undefined)[],
  path: Path,
): CheckedCommand {
  if (command === undefined) return NOTHING;
  const compiled = compileCommand(command, declared.filter(isKnown));
  const inCommand = ({ message, offset }: CommandProblem) => atValue([...path, 'command'], message, offset);
  if (compiled.kind === 'problems') return { ...NOTHING, issues: compiled.problems.map(inCommand) };
  const { program, types, travel } = compiled;
  const args = declared.map((argument) => argument && withType(argument, types));
  const issues = defaultDashProblems(program, args.filter(isKnown)).map(({ argument, message }) => {
    const index = args.findIndex((candidate) => candidate?.name === argument);
    return atValue([...path, 'args', index, 'default'], `argument "${argument}": ${message}`);
  });
  return {
    program,
    args,
    travel,
    issues,
    warnings: typoNotes(command, args.filter(isKnown)).map(inCommand),
  };
}

function isKnown<Value>(argument: Value | undefined): argument is Value {
  return argument !== undefined;
}

function withType(argument: DeclaredArgument, types: ReadonlyMap<string, ArgumentType>): Argument {
  const type = argument.type ?? types.get(argument.name);
  if (type === undefined) throw new Error(`the compiler gave argument "${argument.name}" no type`);
  return { ...argument, type, inferred: argument.type === undefined };
}
