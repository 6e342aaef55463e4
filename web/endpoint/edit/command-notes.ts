import { typoNotes } from '@svc/core/endpoint/typo-notes';
import type { WireArgument } from '../wire-endpoint.ts';

/** Likely typos in a command that may run all the same: a placeholder of no argument. */
export function commandNotes(command: string, args: readonly WireArgument[]): string[] {
  return typoNotes(command, args).map(({ message }) => message);
}
