import { expect, test } from 'bun:test';
import { OpenStreams } from '../accounts/open-streams.ts';
import { ToolListChanges, type ToolListChangesDeps } from './tool-list-changes.ts';
import type { Visit } from './visit.ts';

const LIMIT = 10;
const caller = { kind: 'api_key', id: 'k', workspaceId: 'w', endpoints: undefined } as const;

function world(identifyAgain: Visit['identifyAgain'] = async () => caller) {
  const watched = new Set<object>();
  const workspace = { id: 'w', username: 'ada', ownerId: 'u', plan: 'free' } as const;
  const fail = (error: unknown) => {
    throw error;
  };
  const deps = {
    lookups: { workspaceById: async () => workspace },
    openStreams: new OpenStreams(fail),
    eventFeeds: {
      watch(_workspaceId, watch) {
        watched.add(watch);
        return () => watched.delete(watch);
      },
    },
    endpoints: { list: async () => [] },
    pipelines: { list: async () => [] },
    reportBug: fail,
  } as Partial<ToolListChangesDeps> as ToolListChangesDeps;
  const selection = { names: undefined, isReadOnly: false, mode: undefined };
  const visit = { caller, workspace, identifyAgain, selection } as Partial<Visit> as Visit;
  return { changes: new ToolListChanges(deps), visit, watched };
}

test('of connections that were opened together, those beyond the limit end', async () => {
  const { changes, visit, watched } = world();
  const ended: number[] = [];
  const all = Array.from({ length: LIMIT + 2 }, (_, index) => changes.of(visit, () => ended.push(index)));
  const stops = all.map((bus) => bus.subscribe(() => undefined));
  await Promise.resolve();
  expect(ended).toEqual([LIMIT, LIMIT + 1]);
  expect(watched.size).toBe(LIMIT);
  expect(() => changes.of(visit, () => undefined)).toThrow('10 connections of yours listen already');
  for (const stop of stops) stop();
  expect(watched.size).toBe(0);
  changes.of(visit, () => undefined);
});

test('a connection is told to read the list when it begins: a change may have come before it', async () => {
  const { changes, visit } = world();
  const { promise, resolve } = Promise.withResolvers<string>();
  changes.of(visit, () => undefined).subscribe(({ kind }) => resolve(kind));
  expect(await promise).toBe('tools_list_changed');
});

test('a connection whose key was revoked before it was watched ends', async () => {
  const { changes, visit } = world(async () => ({ kind: 'anonymous' }));
  const { promise, resolve } = Promise.withResolvers<void>();
  changes.of(visit, resolve).subscribe(() => undefined);
  await promise;
});
