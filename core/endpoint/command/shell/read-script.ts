import type { FindValue } from '../../find-value.ts';
import { readCommands } from './commands.ts';
import { NotUnderstood, notUnderstood, peek, type Reader } from './reader.ts';
import type { Script } from './script.ts';

/** The result of reading a text. `script` holds everything before the place where the reading stopped. */
export interface ScriptReading {
  readonly script: Script & { readonly isPlain: boolean };
  readonly stopped?: NotUnderstood;
}

/**
 * Reads the part of POSIX's shell language in which values may stand (decision 57): simple commands, pipes, lists,
 * groups, redirections, `if`, `for` and `while`. The reader stops at everything else. It executes and expands nothing.
 */
export function readScript(text: string, findValue: FindValue): ScriptReading {
  const found = {
    commands: [],
    values: [],
    held: [],
    references: [],
    settings: [],
    flows: [],
    redirects: [],
    awaitedBodies: [],
  };
  const reader: Reader = {
    ...found,
    text,
    findValue,
    at: 0,
    words: 0,
    substitutions: 0,
    isPlain: true,
    readCommands,
  };
  try {
    readCommands(reader);
    if (peek(reader) !== '')
      throw notUnderstood(reader, reader.at, `${peek(reader)} is not expected here: quote it`);
    return { script: reader };
  } catch (error) {
    if (error instanceof NotUnderstood) return { script: reader, stopped: error };
    throw error;
  }
}
