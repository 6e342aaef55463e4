import { InvalidArgumentError } from 'commander';

/** Reads a whole number from 1 on. */
export function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 on.');
  return Number(text);
}
