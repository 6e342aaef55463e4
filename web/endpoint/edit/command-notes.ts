import { compileCommand } from '@svc/core/endpoint/command/compile-command';
import { argumentsOf } from '../run/check-call.ts';
import type { WireArgument } from '../wire-endpoint.ts';

/** What is likely a slip in a command that may run all the same: a placeholder of no argument. */
export function commandNotes(command: string, args: readonly WireArgument[]): string[] {
  const names = args.map(({ name }) => name);
  if (command === '' || new Set(names).size !== names.length) return [];
  const compiled = compileCommand(command, argumentsOf(args));
  return compiled.kind === 'program' ? compiled.notes.map(({ message }) => message) : [];
}
