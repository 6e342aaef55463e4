/**
 * Frees the memory of bytes at once. The garbage collector would free bytes that lived for a while only after old memory has
 * grown to a multiple, so much output would fill memory.
 *
 * @param bytes not read any more, like everything else in the buffer that they are a view on
 */
export function releaseMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
