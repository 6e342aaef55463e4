import { expect, test } from 'bun:test';
import { type Entry, findEntries } from './entries.ts';

const entry = (group: Entry['group'], label: string, about?: string): Entry => ({
  id: label,
  group,
  label,
  ...(about !== undefined && { about }),
  target: { kind: 'action', act: () => undefined },
});

const ENTRIES = [
  entry('Run', 'a-first', 'releases nothing'),
  entry('Run', 'deploy', 'Puts a release on the servers'),
  entry('Pipelines', 'release'),
  entry('Go to', 'Pipelines'),
  entry('People', 'lin@example.com'),
];
const labels = (typed: string, recent: string[] = []) =>
  findEntries(ENTRIES, typed, recent).map(({ group, label }) => `${group}: ${label}`);

test('the group with the best match comes first', () => {
  expect(labels('release')).toEqual(['Pipelines: release', 'Run: a-first', 'Run: deploy']);
});

test('nothing fits a text that no entry has', () => {
  expect(labels('slow')).toEqual([]);
});

test('without a text the recent entries come first, each once, and people are left out', () => {
  expect(labels('', ['lin@example.com', 'deploy', 'gone'])).toEqual([
    'Recent: lin@example.com',
    'Recent: deploy',
    'Run: a-first',
    'Go to: Pipelines',
  ]);
});
