/** What a supervised command needs of whoever wanted it, wherever that is: in the product, the main thread. */
export interface Link {
  /** Hands on bytes for the sink; the array is given away. */
  send(bytes: Uint8Array): void;
  /** Undefined when more may be sent at once, else settles when it may (back-pressure). */
  ready(): Promise<void> | undefined;
  /**
   * Hands over the whole stdout of a command that has a transform and exited with 0, or nothing when there is more of it
   * than a transform takes. Answers whether the sink shall get the output unchanged.
   */
  judge(stdout: Uint8Array<ArrayBuffer> | undefined): Promise<boolean>;
}
