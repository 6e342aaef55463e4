import type { EndingRun } from '@svc/core/execution/frame';
import type { Ending, InputPiece, Launch } from '../runner.ts';
import type { StopGraces } from '../stopping.ts';

/** A launch for its Worker, with the complete environment. */
export type ReadyLaunch = Omit<Launch, 'inherited'>;

/** The message to a Worker about a launch. */
export interface WrittenLaunch {
  readonly launch: ReadyLaunch;
  /** The number of the inherited environment, which the Worker stores. */
  readonly inherited: number;
  /** The environment itself, in the first message that uses it. */
  readonly newInherited?: Launch['inherited'];
}

/**
 * From the main thread to a Worker, as JSON: a structured clone of nested data takes three times as long as its text. `id`
 * names a command between the two and is never reused.
 */
export type Order =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly launch: WrittenLaunch;
      readonly graces: StopGraces;
    }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The sink has taken messages that used this much of the window. */
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  /** The input of the command is complete, or will not be. Its bytes are messages of their own. */
  | { readonly kind: 'input'; readonly id: number; readonly piece: Exclude<InputPiece, { kind: 'bytes' }> }
  /** The answer to `transform`. */
  | { readonly kind: 'transformed'; readonly id: number; readonly givesOutput: boolean };

/** A piece of the input of a command, which is transferred. */
export interface InputOrder {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * From a Worker to the main thread: reports with byte arrays, which are transferred, and the end in the form of
 * `writeEnded`.
 */
export type WorkerMessage = Exclude<WorkerReport, { kind: 'ended' }> | string;

/** A report of a Worker about a command. */
export type WorkerReport =
  | {
      readonly kind: 'output';
      readonly id: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly endings?: readonly EndingRun[];
    }
  /** The command has taken the last piece of its input. */
  | { readonly kind: 'input_taken'; readonly id: number }
  /** The stdout of a command that exited with 0 and has a transform; absent if it is too long. */
  | { readonly kind: 'transform'; readonly id: number; readonly stdout?: Uint8Array<ArrayBuffer> }
  | CommandEnded;

export interface CommandEnded {
  readonly kind: 'ended';
  readonly id: number;
  readonly ending: Ending;
  readonly last?: LastOutput;
}

/** Short output right before the ending, which is often all output, so that one message is enough. */
export interface LastOutput {
  readonly bytes: Uint8Array;
  readonly endings?: readonly EndingRun[];
}

/** Encodes the end of a command as text, for the same reason as orders. */
export function writeEnded({ last, ...ended }: CommandEnded): string {
  return JSON.stringify(
    last === undefined ? ended : { ...ended, last: { ...last, bytes: last.bytes.toBase64() } },
  );
}

export function readEnded(text: string): CommandEnded {
  const { last, ...ended } = JSON.parse(text) as Omit<CommandEnded, 'last'> & {
    readonly last?: Omit<LastOutput, 'bytes'> & { readonly bytes: string };
  };
  return last === undefined
    ? ended
    : { ...ended, last: { ...last, bytes: Uint8Array.fromBase64(last.bytes) } };
}
