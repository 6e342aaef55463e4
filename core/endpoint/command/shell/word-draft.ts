import { mayExpandBraces } from './braces.ts';
import type { ShellWord, Span, WordPart } from './script.ts';

/**
 * A word while it is read. `skeleton` is its unquoted text: `q` stands for what is quoted, `v` for a value, `e` for an
 * expansion; so patterns, braces and `~` are looked for only where a shell would find them.
 */
export interface WordDraft {
  readonly parts: WordPart[];
  skeleton: string;
  holdsValue: boolean;
}

export function newWord(): WordDraft {
  return { parts: [], skeleton: '', holdsValue: false };
}

/** Adds resolved text; `skeleton` says how it looked outside quotes. */
export function appendText(draft: WordDraft, text: string, skeleton: string): void {
  draft.skeleton += skeleton;
  const last = draft.parts.at(-1);
  if (last?.kind === 'text') draft.parts[draft.parts.length - 1] = { kind: 'text', text: last.text + text };
  else draft.parts.push({ kind: 'text', text });
}

export function appendExpansion(draft: WordDraft, quoted: boolean, span: Span): void {
  draft.skeleton += 'e';
  draft.parts.push({ kind: 'expansion', quoted, ...span });
}

const PATTERN = /[*?]|\[[\s\S]+\]/;

export function finishWord(draft: WordDraft, span: Span): ShellWord {
  const multiplies = PATTERN.test(draft.skeleton) || mayExpandBraces(draft.skeleton);
  const isExpanded = draft.parts.some((part) => part.kind === 'expansion');
  return {
    ...span,
    parts: draft.parts,
    needsShell: multiplies || isExpanded || draft.skeleton.startsWith('~'),
    canMultiply: multiplies || draft.parts.some((part) => part.kind === 'expansion' && !part.quoted),
  };
}
