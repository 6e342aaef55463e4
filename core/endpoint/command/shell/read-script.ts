import type { FindValue } from '../find-value.ts';
import { readList } from './list.ts';
import { atEnd, NotUnderstood, notUnderstood, peek, type Reader } from './reader.ts';
import type { Script } from './script.ts';

/** What became of reading a text: `script` holds what was found until a problem stopped the reading. */
export interface ScriptReading {
  readonly script: Script;
  readonly stopped?: NotUnderstood;
}

/**
 * Reads a command's text as POSIX's shell language, where every `/bin/sh` (dash, bash, busybox) agrees; where they do
 * not, it stops (decision 6). Nothing is executed or expanded.
 */
export function readScript(text: string, findValue: FindValue): ScriptReading {
  const reader = newReader(text, findValue);
  try {
    readList(reader);
    if (!atEnd(reader))
      throw notUnderstood(reader, reader.at, `${peek(reader)} is not expected here: quote it`);
    return { script: reader };
  } catch (error) {
    if (error instanceof NotUnderstood) return { script: reader, stopped: error };
    throw error;
  }
}

function newReader(text: string, findValue: FindValue): Reader {
  return {
    text,
    findValue,
    at: 0,
    depth: 0,
    words: 0,
    end: text.length,
    refusedPlace: undefined,
    awaitedBodies: [],
    isPlain: true,
    commands: [],
    values: [],
    refused: [],
    held: [],
    references: [],
    settings: [],
    flows: [],
    descriptors: [],
    functions: new Set(),
    readList,
  };
}
