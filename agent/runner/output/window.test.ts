import { expect, test } from 'bun:test';
import { Window } from './window.ts';

test('is open while there is room, without a promise', () => {
  const window = new Window(10);
  window.take(9);
  expect(window.open()).toBeUndefined();
});

test('is closed when it is full or exceeded, and opens with the first free room', async () => {
  const window = new Window(10);
  window.take(25);
  const opened = window.open();
  let isOpen = false;
  void opened?.then(() => {
    isOpen = true;
  });
  window.release(15);
  await Promise.resolve();
  expect(isOpen).toBe(false);
  window.release(1);
  await opened;
  expect(window.open()).toBeUndefined();
});

test('closes again after it was open', async () => {
  const window = new Window(1);
  for (let round = 0; round < 3; round += 1) {
    window.take(1);
    const opened = window.open();
    expect(opened).toBeInstanceOf(Promise);
    window.release(1);
    await opened;
  }
});
