// A client that goes away: from 2026-07-28 on that is a cancel; before, on_disconnect decides.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { agentClient } from './agent-client.ts';

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;

/** Leaves a trace when it has begun, and when it gets SIGTERM; ends by itself when it may. */
const command = (name: string) =>
  [
    `trap 'touch ${join(folder.path, `${name}-terminated`)}; exit 1' TERM`,
    `touch ${join(folder.path, `${name}-begun`)}`,
    'echo begun',
    `until [ -e ${join(folder.path, `${name}-go`)} ]; do sleep 0.02; done`,
    `touch ${join(folder.path, `${name}-finished`)}`,
  ].join('\n');

beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld();
  agent = await realAgent(world, [
    { name: 'modern', command: command('modern') },
    { name: 'silent', command: command('silent').replace('echo begun', 'true') },
    { name: 'goes-on', command: command('goes-on') },
    { name: 'cancels', command: command('cancels'), on_disconnect: 'cancel' },
  ]);
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const trace = (name: string, what: string) => join(folder.path, `${name}-${what}`);

const PROTOCOL = 'io.modelcontextprotocol';

/** A request as a client sends it, on a socket that the test cuts. */
async function callAndCut(name: string, era: 'modern' | 'legacy', progressToken?: string): Promise<void> {
  const meta = {
    ...(progressToken === undefined ? {} : { progressToken }),
    ...(era === 'legacy'
      ? {}
      : {
          [`${PROTOCOL}/protocolVersion`]: '2026-07-28',
          [`${PROTOCOL}/clientCapabilities`]: {},
        }),
  };
  const params = { name, arguments: {}, _meta: meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${world.start.apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...(era === 'legacy'
      ? ['MCP-Protocol-Version: 2025-11-25']
      : ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', `Mcp-Name: ${name}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const { hostname, port } = new URL(world.hub.hubUrl);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } });
  socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`);
  await untilExists(trace(name, 'begun'));
  socket.terminate();
}

test.each([
  ['modern', 'with progress', 'p1'],
  ['silent', 'without a byte of an answer', undefined],
])('%s: a cut socket, %s, ends the command within five seconds', async (name, _, token) => {
  await callAndCut(name, 'modern', token);
  const cutAt = performance.now();
  await untilExists(trace(name, 'terminated'));
  expect(performance.now() - cutAt).toBeLessThan(5_000);
  expect(existsSync(trace(name, 'finished'))).toBe(false);
});

test('before 2026-07-28 a cut socket cancels only where the endpoint allows it', async () => {
  await callAndCut('cancels', 'legacy', 'p1');
  await untilExists(trace('cancels', 'terminated'));
  await callAndCut('goes-on', 'legacy', 'p1');
  await Bun.write(trace('goes-on', 'go'), '');
  await untilExists(trace('goes-on', 'finished'));
  expect(existsSync(trace('goes-on', 'terminated'))).toBe(false);
});

test('an agent cancels by the id of its execution', async () => {
  await Bun.$`rm -f ${trace('goes-on', 'begun')} ${trace('goes-on', 'go')} ${trace('goes-on', 'finished')}`;
  const url = `${world.hub.hubUrl}/mcp`;
  const client = await agentClient({ url, key: world.start.apiKey });
  const call = client.callTool({ name: 'goes-on' });
  await untilExists(trace('goes-on', 'begun'));
  const { items } = (await (await world.manage('/executions?status=running')).json()) as {
    items: { execution_id: string }[];
  };
  const other = await agentClient({ url, key: world.start.apiKey, era: 'legacy' });
  await other.callTool({ name: 'svc_cancel', arguments: { id: items[0]?.execution_id } });
  expect((await call).isError).toBe(true);
  expect(JSON.stringify((await call).content)).toContain('cancelled');
  await Promise.all([client.close(), other.close()]);
});
