// svc mcp: a hub as an MCP server on standard input and output.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { textOf } from './agent-client.ts';

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;

beforeAll(async () => {
  world = await hubWorld();
  folder = await temporaryFolder();
  const trace = (name: string) => join(folder.path, name);
  Bun.spawnSync(['mkfifo', trace('progressed')]);
  agent = await realAgent(world, [
    {
      name: 'hello',
      command: `printf 'hello %s\\n' {{name}}\ncat ${trace('progressed')}`,
      args: [{ name: 'name', type: 'word' }],
    },
    {
      name: 'wait',
      command: `trap 'touch ${trace('terminated')}; exit 1' TERM\ntouch ${trace('begun')}\nwhile true; do sleep 0.02; done`,
    },
    { name: 'ask', command: `touch ${trace('approved')}`, approval_required: true },
  ]);
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function connect(
  era: 'modern' | 'legacy',
  args: readonly string[] = [],
  onUrl?: (url: string) => 'accept' | 'decline',
): Promise<Client> {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    {
      capabilities: onUrl === undefined ? {} : { elicitation: { url: {} } },
      ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  );
  if (onUrl !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: onUrl('url' in params ? String(params.url) : ''),
    }));
  const program = join(import.meta.dir, '../../cli/svc.ts');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...args],
      env: {
        ...(process.env as Record<string, string>),
        SVC_BASE_URL: world.hub.hubUrl,
        SVC_API_KEY: world.start.apiKey,
      },
      stderr: 'inherit',
    }),
  );
  return client;
}

describe.each(['modern', 'legacy'] as const)('in the %s era', (era) => {
  test('lists tools and calls them, with progress', async () => {
    const client = await connect(era, ['--tools', 'hello']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['hello', 'svc_output', 'svc_status', 'svc_cancel']);
    const messages: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'hello', arguments: { name: 'Ada' } },
      {
        // The command ends when this file exists: a client drops progress that comes together with the result.
        onprogress: ({ message }) => {
          messages.push(message);
          void writeFile(join(folder.path, 'progressed'), '');
        },
      },
    );
    expect(textOf(result)).toContain('hello Ada');
    expect(messages).toEqual(['hello Ada']);
    await client.close();
  });
});

test('a question in the middle of a request gets to the client, and its answer to the hub', async () => {
  const urls: string[] = [];
  const client = await connect('legacy', [], (url) => {
    urls.push(url);
    return 'decline';
  });
  const result = await client.callTool({ name: 'ask' });
  expect(textOf(result)).toStartWith('No result (cancelled)');
  expect(urls).toEqual([expect.stringContaining('/approve/')]);
  expect(existsSync(join(folder.path, 'approved'))).toBe(false);
  await client.close();
});

test('a call that the client cancels is cancelled at the hub', async () => {
  const client = await connect('modern');
  const controller = new AbortController();
  const call = client
    .callTool({ name: 'wait' }, { signal: controller.signal })
    .catch((error: unknown) => error);
  await untilExists(join(folder.path, 'begun'));
  controller.abort();
  await untilExists(join(folder.path, 'terminated'));
  expect(await call).toBeInstanceOf(Error);
  await client.close();
});
