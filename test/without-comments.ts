const COMMENT = ': \n\n';

/**
 * A stream of events without the comments that keep it alive: one comes when nothing was printed in the first second, others
 * after each long silence.
 */
export function withoutComments(stream: string): string {
  return stream.replaceAll(COMMENT, '');
}

/** How long the beginning of such a stream is without the comment that may be there. */
export function bytesWithoutComment(beginning: Uint8Array): number {
  const first = Buffer.from(beginning.subarray(0, COMMENT.length)).toString('latin1');
  return beginning.length - (first === COMMENT ? COMMENT.length : 0);
}
