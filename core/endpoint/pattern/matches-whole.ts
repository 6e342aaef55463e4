import { inCharSet } from './char-set.ts';
import type { Pattern } from './parse-pattern.ts';

/** The states that the automaton is in, each once: `members[0..size)`; `stamp` says in which step a state was added. */
interface StateList {
  readonly members: Uint32Array;
  readonly stamps: Uint32Array;
  size: number;
}

/**
 * Whether the whole value matches the pattern (decision 9).
 *
 * All alternatives advance together, code point by code point (Thompson, Pike): the time is at most the length of the value
 * times the number of states, for every pattern and every value.
 */
export function matchesWhole(pattern: Pattern, value: string): boolean {
  const count = pattern.states.length;
  let current = stateList(count);
  let following = stateList(count);
  enter(pattern, current, count - 1, { step: 1, atStart: true, atEnd: value === '' });
  let at = 0;
  for (let step = 2; at < value.length && current.size > 0; step++) {
    const codePoint = value.codePointAt(at) ?? 0;
    at += codePoint > 0xffff ? 2 : 1;
    advance(pattern, current, following, codePoint, { step, atStart: false, atEnd: at === value.length });
    [current, following] = [following, current];
  }
  return at === value.length && current.members.subarray(0, current.size).includes(0);
}

interface Position {
  readonly step: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

function stateList(count: number): StateList {
  return { members: new Uint32Array(count), stamps: new Uint32Array(count), size: 0 };
}

function advance(
  pattern: Pattern,
  from: StateList,
  to: StateList,
  codePoint: number,
  position: Position,
): void {
  to.size = 0;
  for (let i = 0; i < from.size; i++) {
    const state = pattern.states[from.members[i] ?? 0];
    if (state?.kind === 'chars' && inCharSet(state.set, codePoint)) enter(pattern, to, state.next, position);
  }
}

/** Adds a state and everything that it reaches without reading. */
function enter(pattern: Pattern, list: StateList, first: number, position: Position): void {
  const waiting = [first];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (list.stamps[index] === position.step) continue;
    list.stamps[index] = position.step;
    const state = pattern.states[index];
    if (state?.kind === 'split') waiting.push(state.other, state.next);
    else if (state?.kind === 'edge') {
      if (state.edge === 'start' ? position.atStart : position.atEnd) waiting.push(state.next);
    } else list.members[list.size++] = index;
  }
}
