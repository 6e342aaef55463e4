import type { EndingRun } from '@svc/core/execution/frame';
import type { Ending } from '../runner.ts';
import type { StopGraces } from '../stopping.ts';
import type { WrittenLaunch } from './written-launch.ts';

/**
 * From the main thread to a Worker, as JSON: a structured clone of what is nested takes three times as long as its text. `id`
 * names a command between the two; it is never given twice.
 */
export type Order =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly launch: WrittenLaunch;
      readonly graces: StopGraces;
    }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The sink has taken messages that cost so much of the window. */
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  /** The answer to `judge`. */
  | { readonly kind: 'judged'; readonly id: number; readonly givesOutput: boolean };

/** From a Worker to the main thread: what has byte arrays, which are transferred, and the end as `writeEnded` has it. */
export type WorkerMessage = Exclude<WorkerReport, { kind: 'ended' }> | string;

/** What a Worker says of a command. */
export type WorkerReport =
  | {
      readonly kind: 'output';
      readonly id: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly endings?: readonly EndingRun[];
    }
  /** stdout of a command that exited with 0 and has a transform; absent when it is too long for one. */
  | { readonly kind: 'judge'; readonly id: number; readonly stdout?: Uint8Array<ArrayBuffer> }
  | CommandEnded;

export interface CommandEnded {
  readonly kind: 'ended';
  readonly id: number;
  readonly ending: Ending;
  readonly last?: LastOutput;
}

/** Short output that came right before the ending: often all that there was, so that one message is enough. */
export interface LastOutput {
  readonly bytes: Uint8Array;
  readonly endings?: readonly EndingRun[];
}

/** The end of a command as text, for the reason that orders are. */
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
