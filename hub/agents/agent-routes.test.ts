import { expect, test } from 'bun:test';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { KnownAgent } from './agent-ports.ts';
import { describeAgents } from './agent-routes.ts';

const NAMES = ['a', 'b', 'c'];
const ENDPOINTS = 30;

/** Of each three endpoints one is in the file of `a`, one in that of `b`, and one was made with the API. */
function endpointsThatCount(looks: { count: number }): RegisteredEndpoint[] {
  return Array.from({ length: ENDPOINTS }, (_, at) => {
    const registeredBy = ['a', 'b', undefined][at % 3];
    const endpoint = {
      get source() {
        looks.count += 1;
        return registeredBy === undefined ? 'api' : 'config';
      },
      registeredBy,
      endpoint: { slug: `e${at}` },
    };
    return endpoint as unknown as RegisteredEndpoint;
  });
}

function known(name: string, instance: string): KnownAgent {
  return {
    ...{ workspaceId: 'w1', name, instance, isLocalOnly: false, version: '1', hostname: 'box' },
    ...{ os: 'linux', arch: 'x64', hubId: undefined, connectedAtMs: 1, seenAtMs: 2 },
    journalDamagedAtMs: undefined,
  };
}

test('each agent has the endpoints of its file, and each endpoint is looked at once for all agents', async () => {
  const looks = { count: 0 };
  const all = NAMES.flatMap((name) =>
    Array.from({ length: 40 }, (_, instance) => known(name, `i${instance}`)),
  );
  const deps = {
    agents: { connected: () => [] },
    clock: { nowMs: () => 9 },
    endpoints: { list: () => Promise.resolve(endpointsThatCount(looks)) },
    hubId: 'hub',
    knownAgents: {
      ofWorkspace: () => Promise.resolve(all),
      running: () => Promise.resolve([{ name: 'b', instance: 'i7', count: 2 }]),
    },
  };
  const described = await describeAgents(deps, 'w1', all);
  const slugsOf = (name: string) =>
    new Set(described.filter((one) => one.name === name).map((one) => one.endpoints.join(' ')));
  const every = (first: number) => Array.from({ length: 10 }, (_, at) => `e${first + 3 * at}`).join(' ');
  expect(NAMES.map((name) => [...slugsOf(name)])).toEqual([[every(0)], [every(1)], ['']]);
  expect(described.filter(({ running }) => running > 0)).toMatchObject([{ name: 'b', running: 2 }]);
  expect(looks.count).toBe(ENDPOINTS);
});
