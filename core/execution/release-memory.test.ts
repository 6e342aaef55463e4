import { expect, test } from 'bun:test';
import { releaseMemory } from './release-memory.ts';

test('takes the memory of bytes, whatever part of it they are', () => {
  const bytes = new Uint8Array(100_000);
  releaseMemory(bytes.subarray(10, 20));
  expect([bytes.length, bytes.buffer.detached]).toEqual([0, true]);
  releaseMemory(bytes);
});

test('leaves what several threads share', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(10));
  releaseMemory(bytes);
  expect(bytes.length).toBe(10);
});
