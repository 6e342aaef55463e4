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
    reportBug: fail,
  } as Partial<ToolListChangesDeps> as ToolListChangesDeps;
  const visit = { caller, workspace, identifyAgain } as Partial<Visit> as Visit;
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

test('a connection whose key was revoked before it was watched ends', async () => {
  const { changes, visit } = world(async () => ({ kind: 'anonymous' }));
  const { promise, resolve } = Promise.withResolvers<void>();
  changes.of(visit, resolve).subscribe(() => undefined);
  await promise;
});
