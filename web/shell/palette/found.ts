import type { NavItem } from '../nav-items.ts';

/** A result in the palette. */
export type Found =
  | { readonly kind: 'run'; readonly id: string; readonly slug: string; readonly about: string | null }
  | { readonly kind: 'go'; readonly id: string; readonly item: NavItem }
  | { readonly kind: 'do'; readonly id: string; readonly label: string; readonly act: () => void };

/** Whether each typed word is the start of a word in the text: "au lo" finds "Audit log". */
export function isFound(text: string, typed: string): boolean {
  const words = text.toLowerCase().split(/[\s_-]+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** The index after an arrow key; wraps around at both ends. */
export function stepTo(at: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (at + step + count) % count;
}
