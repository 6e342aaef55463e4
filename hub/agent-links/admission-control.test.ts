import { expect, test } from 'bun:test';
import { AdmissionControl } from './admission-control.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that runs until the test ends it. */
function occupied(admission: AdmissionControl, count: number) {
  const begun: number[] = [];
  const gone = new Set<number>();
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const results = ends.map(({ promise }, index) =>
    admission.admit(
      () => !gone.has(index),
      async () => {
        begun.push(index);
        await promise;
        return index;
      },
    ),
  );
  return { begun, gone, results, end: (index: number) => ends[index]?.resolve() };
}

test('64 are admitted at a time, the others in order of arrival', async () => {
  const { begun, results, end } = occupied(new AdmissionControl(), 67);
  await settled();
  expect(begun).toHaveLength(64);
  end(5);
  end(60);
  await settled();
  expect(begun.slice(64)).toEqual([64, 65]);
  for (let index = 0; index < 67; index += 1) end(index);
  expect(await Promise.all(results)).toEqual(Array.from({ length: 67 }, (_, index) => index));
});

test('an agent that disconnects while waiting is skipped and takes no slot', async () => {
  const { begun, gone, results, end } = occupied(new AdmissionControl(), 80);
  await settled();
  for (let index = 64; index < 79; index += 1) gone.add(index);
  end(0);
  await settled();
  expect(begun).toEqual([...Array.from({ length: 64 }, (_, index) => index), 79]);
  expect(await results[70]).toBeUndefined();
  for (let index = 0; index < 80; index += 1) end(index);
  await Promise.all(results);
});

test('failing work releases its slot, too', async () => {
  const admission = new AdmissionControl();
  const failing = () =>
    admission.admit(
      () => true,
      () => Promise.reject(new Error('broken')),
    );
  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, failing));
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  expect(
    await admission.admit(
      () => true,
      () => Promise.resolve('in'),
    ),
  ).toBe('in');
});
