import { typoNotes } from '@svc/core/endpoint/typo-notes';
import type { WireArgument } from '../wire-endpoint.ts';

/** Likely typos that do not keep a command from running, such as a placeholder without an argument. */
export function commandNotes(command: string, args: readonly WireArgument[]): string[] {
  return typoNotes(command, args).map(({ message }) => message);
}
