import type { EndingRun } from '@svc/core/execution/frame';

/** What a supervised command needs of whoever wanted it, wherever that is: in the product, the main thread. */
export interface OutputLink {
  /** Hands on bytes for the sink, of frames with their endings; the array is given away. */
  send(bytes: Uint8Array, endings?: readonly EndingRun[]): void;
  /** The same for what comes right before the ending: the last of it travels with that, if it is short. */
  sendLast(bytes: Uint8Array, endings?: readonly EndingRun[]): void;
  /** Undefined when more may be sent at once, else settles when it may (back-pressure). */
  ready(): Promise<void> | undefined;
  /**
   * Hands over the whole stdout of a command that has a transform and exited with 0, or nothing when there is more of it
   * than a transform takes. Answers whether the sink shall get the output unchanged.
   */
  judge(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean>;
}
