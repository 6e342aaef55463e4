import type { EndingRun } from '@svc/core/execution/frame';

/** The connection from a supervised command to its caller, which in the product is on the main thread. */
export interface OutputLink {
  /** Sends bytes to the sink, for frames with their line endings. Takes ownership of the array. */
  send(bytes: Uint8Array, endings?: readonly EndingRun[]): void;
  /** The same for output right before the ending: its last part is sent with the ending if it is short. */
  sendLast(bytes: Uint8Array, endings?: readonly EndingRun[]): void;
  /** Undefined if more may be sent at once; else resolves when it may (back-pressure). */
  ready(): Promise<void> | undefined;
  /**
   * Sends the whole stdout of a command that has a transform and exited with 0, or nothing if it is too long for a
   * transform. Returns whether the sink gets the output unchanged.
   */
  transform(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean>;
}
