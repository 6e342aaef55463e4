import { expect, test } from 'bun:test';
import { type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';
import { CARD, layoutOf, NARROW_CARD } from './layout.ts';
import { startView } from './start-view.ts';

const row = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`n${index}`, { x: index * 280, y: 0 }]));
const FORK = {
  nodes: ['left', 'right'].map((id) => ({ id, kind: 'execution', endpoint: id, args: {} })),
  edges: ['left', 'right'].map((to) => ({ from: TRIGGER_ID, to })),
} as unknown as Pick<Pipeline, 'nodes' | 'edges'>;
const CANVAS = { width: 800, height: 400 };

test('a small graph is shown as a whole in the middle, no larger than it is', () => {
  const { x, y, zoom } = startView(row(2), CANVAS);
  expect(zoom).toBe(1);
  expect(x).toBe((800 - (280 + CARD.width)) / 2);
  expect(y).toBe((400 - CARD.height) / 2);
});

test('two cards beside each other are whole in the column of a run', () => {
  const { x, zoom } = startView(layoutOf(FORK, 'TB'), { width: 418, height: 600 });
  const places = [...layoutOf(FORK, 'TB').values()].map((card) => card.x * zoom + x);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(16);
  expect(Math.max(...places) + CARD.width * zoom).toBeLessThanOrEqual(418 - 16);
});

test('two cards beside each other are whole on a phone', () => {
  const canvas = { width: 326, height: 446 };
  const narrow = layoutOf(FORK, 'TB', NARROW_CARD);
  const { x, zoom } = startView(narrow, canvas, undefined, NARROW_CARD);
  const places = [...narrow.values()].map((card) => card.x * zoom + x);
  expect(zoom).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places) + NARROW_CARD.width * zoom).toBeLessThanOrEqual(326);
});

test('a long graph begins at its start, at a size that can be read', () => {
  const { x, zoom } = startView(row(8), CANVAS);
  expect(zoom).toBe(0.85);
  expect(x).toBe(16);
});

test('a card far along is in view', () => {
  const { x, zoom } = startView(row(8), CANVAS, 'n7');
  expect((7 * 280 + CARD.width) * zoom + x).toBe(800 - 16);
  expect(startView(row(8), CANVAS, 'n0').x).toBe(16);
});

test('an empty canvas and a hundred thousand cards have a view, too', () => {
  expect(startView(row(1), { width: 0, height: 0 }).zoom).toBe(0.85);
  expect(startView(row(100_000), CANVAS).zoom).toBe(0.85);
});
