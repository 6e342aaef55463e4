import { expect, test } from 'bun:test';
import { FeedWindow } from './feed-source.ts';

/** A message is a little longer than the output in it. */
const message = (bytes: number) => new Uint8Array(bytes + 13);

test('has room for so much, and again for what has gone on', () => {
  const window = new FeedWindow(100);
  window.add(message(60), 60);
  expect([window.hasRoom(40), window.hasRoom(41)]).toEqual([true, false]);
  window.add(message(40), 40);
  window.advance(60);
  expect([window.hasRoom(60), window.hasRoom(61)]).toEqual([true, false]);
});

test('sends alone an item that exceeds the window', () => {
  const window = new FeedWindow(100);
  expect(window.hasRoom(500)).toBe(true);
  window.add(message(500), 500);
  expect(window.hasRoom(1)).toBe(false);
  window.advance(500);
  expect(window.hasRoom(500)).toBe(true);
});

test('counts a part of a message that has gone on, and frees none before the rest of it has', () => {
  const window = new FeedWindow(100);
  const whole = message(80);
  window.add(whole, 80);
  window.advance(30);
  expect([window.hasRoom(50), window.hasRoom(51), whole.length]).toEqual([true, false, 93]);
  window.advance(50);
  expect([window.hasRoom(500), whole.length]).toEqual([true, 0]);
});

test('frees the memory of messages that have gone on, in order, and of no others', () => {
  const window = new FeedWindow(100);
  const messages = [10, 20, 30].map((bytes) => ({ bytes, message: message(bytes) }));
  for (const one of messages) window.add(one.message, one.bytes);
  const isFree = () => messages.map(({ message: { buffer } }) => (buffer as ArrayBuffer).detached);
  window.advance(30);
  expect(isFree()).toEqual([true, true, false]);
  window.advance(30);
  expect(isFree()).toEqual([true, true, true]);
});
