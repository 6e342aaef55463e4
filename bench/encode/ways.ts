import { OutputEncoder } from '@svc/core/execution/output-encoder';
import type { Contestant } from '../measure/interleave.ts';

export const NAMES = { encode: 'encode', decode: 'decode only', copy: 'copy only' } as const;

const PASSES = 16;

type Chunks = readonly Uint8Array[];

/** Each goes over the same chunks, PASSES times a turn; figures are megabytes of output per second. */
export function contestantsOver(chunks: Chunks): Contestant[] {
  return [contestant(NAMES.encode, encode), contestant(NAMES.decode, decode), contestant(NAMES.copy, copy)];

  function contestant(name: string, way: (chunks: Chunks) => void): Contestant {
    return { name, measure: async () => [megabytesPerSec(chunks, way)] };
  }
}

function megabytesPerSec(chunks: Chunks, way: (chunks: Chunks) => void): number {
  const bytes = PASSES * chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const started = performance.now();
  for (let pass = 0; pass < PASSES; pass += 1) way(chunks);
  return bytes / 1000 / (performance.now() - started);
}

function encode(chunks: Chunks): void {
  const encoder = new OutputEncoder();
  for (const chunk of chunks) encoder.push(chunk);
}

function decode(chunks: Chunks): void {
  const decoder = new TextDecoder();
  for (const chunk of chunks) decoder.decode(chunk, { stream: true });
}

function copy(chunks: Chunks): void {
  for (const chunk of chunks) chunk.slice();
}
