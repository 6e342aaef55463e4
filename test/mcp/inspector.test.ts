// The CLI of the official Inspector, as people use it to look at a server.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

const INSPECTOR = join(
  import.meta.dir,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

let world: HubWorld;
let agent: RealAgent;
let home: TemporaryFolder;

beforeAll(async () => {
  home = await temporaryFolder();
  world = await hubWorld();
  const name = { name: 'name', type: 'word', required: true };
  agent = await realAgent(world, [{ name: 'hello', command: 'printf "hello %s" {{name}}', args: [name] }]);
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
});

/** Runs one method; what it printed, as JSON. */
async function inspect(...args: readonly string[]): Promise<unknown> {
  const server = [`${world.hub.hubUrl}/mcp`, '--header', `Authorization: Bearer ${world.start.apiKey}`];
  const child = Bun.spawn([process.execPath, INSPECTOR, '--cli', ...server, ...args], {
    env: { ...process.env, BUN_BE_BUN: '1', HOME: home.path },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, problems]).toEqual([0, '']);
  return JSON.parse(text);
}

test('lists the tools without a problem of their schemas, and calls one', async () => {
  const { tools } = (await inspect('--method', 'tools/list', '--strict')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['hello', 'svc_output', 'svc_status', 'svc_cancel']);
  const result = await inspect('--method', 'tools/call', '--tool-name', 'hello', '--tool-arg', 'name=Ada');
  expect(JSON.stringify(result)).toContain('hello Ada');
  expect(result).toMatchObject({ isError: false });
});
