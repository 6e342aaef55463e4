import type { EndingRun } from '@svc/core/execution/frame';
import type { Ending } from '../runner.ts';
import type { Graces } from './supervise.ts';
import type { WrittenLaunch } from './written-launch.ts';

/** From the main thread to a Worker. `id` names a command between the two; it is never given twice. */
export type Order =
  | { readonly kind: 'start'; readonly id: number; readonly launch: WrittenLaunch; readonly graces: Graces }
  | { readonly kind: 'cancel'; readonly id: number }
  /** The sink has taken messages that cost so much of the window. */
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  /** The answer to `judge`. */
  | { readonly kind: 'judged'; readonly id: number; readonly givesOutput: boolean };

/** From a Worker to the main thread; byte arrays are transferred. */
export type Report =
  | {
      readonly kind: 'output';
      readonly id: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly endings?: readonly EndingRun[];
    }
  /** stdout of a command that exited with 0 and has a transform; absent when it is too long for one. */
  | { readonly kind: 'judge'; readonly id: number; readonly stdout?: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'ended'; readonly id: number; readonly ending: Ending; readonly last?: LastOutput };

/** Output that came right before the ending: for a short command all of it, so that one message is enough. */
export interface LastOutput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly endings?: readonly EndingRun[];
}
