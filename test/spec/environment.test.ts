// Where commands run and what they find in their environment: decision 5, placeholders, and decision 12, the environment of
// a command.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serveWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await serveWorld(
    [
      {
        name: 'env',
        command: 'env',
        args: [{ name: 'dry-run', default: 'yes' }],
        env: { GREETING: 'hi', SHADOWED: 'ours' },
      },
      { name: 'where', command: 'pwd' },
      { name: 'below', command: 'pwd', cwd: 'sub/folder' },
    ],
    { env: { SVC_TOKEN: 'svc_at_secret', SVC_PORT: '1', INHERITED: 'yes', SHADOWED: 'theirs' } },
  );
  mkdirSync(join(world.folder, 'sub/folder'), { recursive: true });
});
afterAll(() => world[Symbol.asyncDispose]());

async function output(path: string): Promise<string> {
  const response = await fetch(`${world.url}${path}`, { headers: { accept: 'application/json' } });
  return ((await response.json()) as { output: string }).output;
}

async function environment(): Promise<Record<string, string>> {
  const lines = (await output('/env')).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
}

test("a command has the server's environment and the endpoint's own, and of SVC_* only what is for it", async () => {
  const env = await environment();
  expect(env).toMatchObject({ GREETING: 'hi', SHADOWED: 'ours', INHERITED: 'yes', PATH: process.env.PATH });
  const ours = Object.entries(env).filter(([name]) => name.startsWith('SVC_'));
  expect(Object.fromEntries(ours)).toEqual({
    SVC_ARG_DRY_RUN: 'yes',
    SVC_ENDPOINT: 'env',
    SVC_EXECUTION_ID: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
  });
});

test('each execution has an id of its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await environment()).SVC_EXECUTION_ID),
  );
  expect(new Set(ids).size).toBe(20);
});

test("commands run in the config file's folder, or in their cwd below it", async () => {
  expect(await output('/where')).toBe(`${world.folder}\n`);
  expect(await output('/below')).toBe(`${world.folder}/sub/folder\n`);
  expect(basename(world.folder)).toStartWith('svc-test-');
});
