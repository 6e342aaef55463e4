import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ARTIFACT_LIMITS } from './limits.ts';
import { shareTurns } from './upload-turns.ts';

const { turnBytes: ENOUGH, sendingExecutions: TURNS } = ARTIFACT_LIMITS;
const WAITS = undefined;

/** The executions are named by letters, in their order. */
function shared(...spent: readonly (number | undefined)[]) {
  const uploads = spent.map((spentBytes, at) => ({ name: 'abcdefgh'[at] ?? '', spentBytes }));
  const { begins, yields } = shareTurns(uploads);
  const names = (some: typeof begins) => some.map(({ name }) => name).join('');
  return { begins: names(begins), yields: names(yields) };
}

test.each([
  ['four begin at once', [WAITS, WAITS, WAITS, WAITS, WAITS], 'abcd', ''],
  ['those that wait get the free turns in their order', [0, WAITS, 0, WAITS, WAITS], 'bd', ''],
  ['none yields while no other waits', [ENOUGH, ENOUGH, ENOUGH, 9 * ENOUGH], '', ''],
  ['none yields before it has had enough', [ENOUGH - 1, 0, 1, 2, WAITS], '', ''],
  [
    'no more yield than wait, first the one that has had most',
    [ENOUGH, 2 * ENOUGH, 0, ENOUGH, WAITS],
    '',
    'b',
  ],
  ['of those that have had as much, first the one that began first', [ENOUGH, ENOUGH, 0, 0, WAITS], '', 'a'],
  ['none yields for one that gets a free turn', [ENOUGH, ENOUGH, ENOUGH, WAITS], 'd', ''],
  ['all yield if four wait', [ENOUGH, ENOUGH, ENOUGH, ENOUGH, ...Array(4).fill(WAITS)], '', 'abcd'],
])('%s', (_, spent, begins, yields) => {
  expect(shared(...spent)).toEqual({ begins, yields });
});

test('each execution is done after as many rounds as it has turns to send, however much others send', () => {
  const turnsOf = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(turnsOf, (given) => {
      type Upload = { left: number; rounds: number; turns: number; spentBytes: number | undefined };
      let uploads: Upload[] = given.map((turns) => ({ left: turns, rounds: 0, turns, spentBytes: WAITS }));
      const mostRounds = (turns: number) => turns * Math.ceil(given.length / TURNS);
      while (uploads.length > 0) {
        for (const one of shareTurns(uploads).begins) one.spentBytes = 0;
        // Each turn is used up.
        for (const one of uploads) {
          one.rounds += 1;
          if (one.spentBytes === undefined) continue;
          one.left -= 1;
          one.spentBytes += ENOUGH;
        }
        const ended = uploads.filter(({ left }) => left === 0);
        for (const { rounds, turns } of ended) expect(rounds).toBeLessThanOrEqual(mostRounds(turns));
        uploads = uploads.filter(({ left }) => left > 0);
        const { yields } = shareTurns(uploads);
        for (const one of yields) one.spentBytes = WAITS;
        uploads = [...uploads.filter((one) => !yields.includes(one)), ...yields];
      }
    }),
  );
});
