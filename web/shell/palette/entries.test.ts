import { expect, test } from 'bun:test';
import { type Entry, findEntries, type RecentEntry, readRecent, recentEntry } from './entries.ts';

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
const labels = (typed: string, recent: readonly RecentEntry[] = []) =>
  findEntries(ENTRIES, typed, recent).map(({ group, label }) => `${group}: ${label}`);

test('the group with the best match comes first', () => {
  expect(labels('release')).toEqual(['Pipelines: release', 'Run: a-first', 'Run: deploy']);
});

test('nothing fits a text that no entry has', () => {
  expect(labels('slow')).toEqual([]);
});

test('without a text the recent entries come first, each once, and people are left out', () => {
  expect(labels('', readRecent('["lin@example.com",{"id":"deploy"},"gone"]'))).toEqual([
    'Recent: lin@example.com',
    'Recent: deploy',
    'Run: a-first',
    'Go to: Pipelines',
  ]);
});

test('a record that was chosen is recent without being loaded again; what changes about it is left out', () => {
  const execution: Entry = {
    id: '/executions/1#1',
    group: 'Executions',
    label: '0192f1a0',
    about: 'deploy, running',
    lastingAbout: 'deploy',
    target: { kind: 'page', path: '/executions/1' },
  };
  const stored = JSON.stringify([recentEntry(execution)]);
  const [first] = findEntries(ENTRIES, '', readRecent(stored));
  expect(first).toMatchObject({
    group: 'Recent',
    label: '0192f1a0',
    about: 'deploy',
    target: execution.target,
  });
  expect(JSON.stringify([recentEntry(first ?? expect.unreachable())])).toBe(stored);
});

test('a recent entry of another kind is shown only while it can be found', () => {
  expect(recentEntry(ENTRIES[1] ?? expect.unreachable())).toEqual({ id: 'deploy' });
});

test('a stored entry leads to a page of the dashboard, or it is not shown', () => {
  const stored = (path: string) => JSON.stringify([{ id: 'x', record: { label: 'x', path } }, 7, null, {}]);
  expect(readRecent(stored('//evil.example'))).toEqual([{ id: 'x' }]);
  expect(readRecent(stored('/secrets'))).toEqual([{ id: 'x', record: { label: 'x', path: '/secrets' } }]);
});
