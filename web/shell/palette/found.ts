import type { Place } from '../places.ts';

/** A line of the palette. */
export type Found =
  | { readonly kind: 'run'; readonly id: string; readonly slug: string; readonly about: string | null }
  | { readonly kind: 'go'; readonly id: string; readonly place: Place }
  | { readonly kind: 'do'; readonly id: string; readonly label: string; readonly act: () => void };

/** Words that all begin some word of the text: "au lo" finds "Audit log". */
export function isFound(text: string, typed: string): boolean {
  const words = text.toLowerCase().split(/[\s_-]+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** The line that the arrow keys lead to; from the last on to the first. */
export function stepTo(at: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (at + step + count) % count;
}
