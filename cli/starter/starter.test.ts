import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@svc/core/config/parse-config';
import { bind } from '@svc/core/endpoint/bind';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { commandEnvironment } from '@svc/core/endpoint/environment';

const parsed = parseConfig(readFileSync(join(import.meta.dir, 'svc.yaml'), 'utf8'));
const endpoints = parsed.kind === 'config' ? parsed.config.endpoints : [];

/** Runs one endpoint of the starter file as an agent would, without its transform. */
async function run(slug: string, values: Record<string, string> = {}): Promise<string> {
  const endpoint = endpoints.find((candidate) => candidate.slug === slug) as Endpoint;
  const { argv, env: bound } = bind(endpoint, new Map(Object.entries(values)));
  const own = commandEnvironment({ endpointEnv: endpoint.env, bound, executionId: 'x', slug });
  const env = { PATH: process.env.PATH, ...own };
  const child = Bun.spawn([...argv], { env, stdout: 'pipe', stderr: 'inherit' });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return output;
}

test('the file that svc init writes has no problems and no warnings', () => {
  expect(parsed).toMatchObject({ kind: 'config', warnings: [] });
  expect(endpoints.map(({ slug }) => slug)).toEqual(['hello', 'count', 'disk', 'system', 'log']);
});

test('hello greets the world, or the given name, byte for byte', async () => {
  expect(await run('hello')).toBe('Hello, world!\n');
  expect(await run('hello', { name: '$(id) "; ls' })).toBe('Hello, $(id) "; ls!\n');
});

test('count counts to its argument', async () => {
  expect(await run('count', { to: '1' })).toBe('1 of 1\n');
});

test('disk prints the table of POSIX df', async () => {
  const [head = '', ...rows] = (await run('disk')).trimEnd().split('\n');
  expect(head).toMatch(/^Filesystem +1024-blocks +Used +Available +Capacity +Mounted on$/);
  expect(rows.length).toBeGreaterThan(0);
});

test('system prints the JSON that its select reads', async () => {
  expect(JSON.parse(await run('system'))).toMatchObject({
    kernel: { name: expect.any(String), release: expect.any(String) },
    machine: expect.any(String),
  });
});

test('log prints level and message, a dash in front included', async () => {
  expect(await run('log', { message: '-n %s \\t' })).toMatch(
    /^\d\d:\d\d:\d\d \[starter\] info: -n %s \\t\n$/,
  );
  expect(() =>
    bind(
      endpoints[4] as Endpoint,
      new Map([
        ['message', 'x'],
        ['level', 'loud'],
      ]),
    ),
  ).toThrow('"loud" is not one of');
  expect(() => bind(endpoints[4] as Endpoint, new Map())).toThrow('it is required');
});
