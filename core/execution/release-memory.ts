/**
 * Gives the memory of bytes back at once, of which nothing is left then. The garbage collector would come for what has lived for
 * a while only when all that is old has grown to a multiple, and until then much output would fill memory with what has passed.
 *
 * @param bytes nobody looks at them any more, nor at anything else in the buffer that they are a view on
 */
export function releaseMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
