import { LIMITS } from '../../plan/limits.ts';
import type { CharSet } from './char-set.ts';
import { NotAPattern } from './cursor.ts';
import type { PatternNode } from './syntax.ts';

/** One state of the automaton. `next` and `other` are indices; the last state accepts. */
export type PatternState =
  | { readonly kind: 'chars'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'split'; readonly next: number; readonly other: number }
  | { readonly kind: 'accept' };

/** Thompson's construction, built from the end: each node is compiled towards the state that follows it. */
export function compileStates(root: PatternNode): readonly PatternState[] {
  const states: PatternState[] = [{ kind: 'accept' }];
  const entry = compile(states, root, 0);
  add(states, { kind: 'split', next: entry, other: entry });
  return states;
}

function add(states: PatternState[], state: PatternState): number {
  if (states.length >= LIMITS.patternStates) {
    throw new NotAPattern(
      0,
      `the pattern is too large: repeated parts count once for each time, up to ${LIMITS.patternStates}`,
    );
  }
  states.push(state);
  return states.length - 1;
}

function compile(states: PatternState[], node: PatternNode, next: number): number {
  switch (node.kind) {
    case 'chars':
      return add(states, { kind: 'chars', set: node.set, next });
    case 'edge':
      return add(states, { kind: 'edge', edge: node.edge, next });
    case 'sequence':
      return node.items.reduceRight((following, item) => compile(states, item, following), next);
    case 'choice':
      return node.options
        .map((option) => compile(states, option, next))
        .reduceRight((other, option) => add(states, { kind: 'split', next: option, other }));
    case 'repeat':
      return compileRepeat(states, node, next);
  }
}

function compileRepeat(states: PatternState[], node: PatternNode & { kind: 'repeat' }, next: number): number {
  let entry = next;
  if (node.max === undefined) entry = compileLoop(states, node.item, next);
  else {
    for (let i = node.min; i < node.max; i++) {
      entry = add(states, { kind: 'split', next: compile(states, node.item, entry), other: next });
    }
  }
  for (let i = 0; i < node.min; i++) {
    const before = compile(states, node.item, entry);
    // An item without states, as in `(){1000000000}`, is the same however often it is repeated.
    if (before === entry) break;
    entry = before;
  }
  return entry;
}

function compileLoop(states: PatternState[], item: PatternNode, next: number): number {
  const loop = add(states, { kind: 'accept' });
  states[loop] = { kind: 'split', next: compile(states, item, loop), other: next };
  return loop;
}
