import { expect, test } from 'bun:test';
import { Semaphore } from './semaphore.ts';

test('admits up to the limit, and then in order of arrival', async () => {
  const semaphore = new Semaphore(2);
  const came: number[] = [];
  const entering = Array.from({ length: 4 }, async (_, number) => {
    const leave = await semaphore.enter();
    came.push(number);
    return leave;
  });
  const first = await entering[0];
  const second = await entering[1];
  expect(came).toEqual([0, 1]);
  second?.();
  const third = await entering[2];
  expect(came).toEqual([0, 1, 2]);
  first?.();
  third?.();
  await entering[3];
  expect(came).toEqual([0, 1, 2, 3]);
});

test('an unused permit is free for the next caller', async () => {
  const semaphore = new Semaphore(1);
  for (let times = 0; times < 3; times += 1) (await semaphore.enter())();
  expect(await semaphore.enter()).toBeFunction();
});
