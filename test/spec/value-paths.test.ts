// Paths with a root reach a command resolved, or not at all: decision 57, values by type.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '@svc/agent/link/definitions';
import { prepareHosted } from '@svc/agent/link/execution/prepare-hosted';
import { WholeDefinitions } from '@svc/agent/link/execution/whole-definitions';
import { hubWorld } from '../hub-world.ts';
import { realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { serveWorld } from '../world.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  mkdirSync(join(folder.path, 'root'));
  writeFileSync(join(folder.path, 'root/a b'), 'inside');
  writeFileSync(join(folder.path, 'secret'), 'outside');
  symlinkSync('../secret', join(folder.path, 'root/link'));
});
afterEach(() => folder[Symbol.asyncDispose]());

const endpoints = () => [
  {
    name: 'show',
    command: 'cat {{file}} && printf " %s" "$SVC_ARG_FILE"',
    args: [{ name: 'file', type: 'path', root: join(folder.path, 'root') }],
  },
];

type Call = (path: string) => Promise<Response>;

async function seen(call: Call) {
  const good = (await (await call('show?file=./a%20b')).json()) as object;
  expect(good).toMatchObject({ output: expect.stringMatching(/^inside \/.*\/root\/a b$/) });
  for (const file of ['link', '../secret', join(folder.path, 'secret')]) {
    const refused = await call(`show?file=${encodeURIComponent(file)}`);
    const text = await refused.text();
    expect([file, refused.status, text.includes('leads out of')]).toEqual([file, 400, true]);
    expect(text).toContain('invalid_argument');
    expect(text).not.toContain('outside');
  }
}

test('svc serve keeps a path inside its root', async () => {
  await using world = await serveWorld(endpoints());
  await seen((path) => fetch(`${world.url}/${path}`, { headers: { accept: 'application/json' } }));
});

test('the agent of a hub keeps a path inside its root', async () => {
  await using world = await hubWorld();
  await using _agent = await realAgent(world, endpoints());
  await seen((path) => world.call(path));
});

test('a hosted path starts at /workspace, and an order with a root is refused', () => {
  const hosted = { vcpus: 1, memory_bytes: 1, network: false } as never;
  const prepared = (args: object[]) => {
    const definition = { name: 'show', command: 'cat {{file}}', args };
    const order = {
      execution_id: 'x',
      endpoint: 'show',
      hash: hashOf(definition),
      definition,
      args: { file: 'a/b' },
      secrets: {},
      hosted,
    };
    return prepareHosted(order as unknown as Parameters<typeof prepareHosted>[0], new WholeDefinitions());
  };
  expect(prepared([{ name: 'file', type: 'path' }])).toMatchObject({
    launch: { argv: ['cat', '/workspace/a/b'] },
  });
  expect(prepared([{ name: 'file', type: 'path', root: '/etc' }])).toMatchObject({
    ending: { reason: 'bad_definition', message: expect.stringContaining('has a root') },
  });
});
