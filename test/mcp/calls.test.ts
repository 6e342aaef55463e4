import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline, postOf, showRun } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { agentClient, textOf } from './agent-client.ts';

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const ENDPOINTS = [
  {
    name: 'hello',
    description: 'Greets',
    command: 'printf "hello %s\\n" {{name}}',
    args: [{ name: 'name', type: 'word', required: true }],
  },
  { name: 'count', command: 'printf "one\\ntwo\\nthree\\n"' },
  { name: 'fail', command: 'sh -c "echo broken; exit 3"' },
  { name: 'sum', command: `printf '{"a":1,"b":2}'`, transform: { parse: 'json' } },
  {
    name: 'typed',
    command: 'printenv SVC_ARG_JSON',
    args: [{ name: 'json', type: 'json', required: true }],
    transform: { parse: 'json', schema: SCHEMA },
  },
  {
    name: 'typed-ask',
    command: 'true',
    transform: { parse: 'json', schema: SCHEMA },
    approval_required: true,
  },
  { name: 'many', command: 'seq 1 5000' },
  { name: 'disk', command: 'df -P', effects: 'read' },
  { name: 'restart', command: 'true', effects: 'write', idempotent: true },
  { name: 'hidden', command: 'true', mcp: false },
];

const stepsOf = (...endpoints: string[]) =>
  endpoints.map((endpoint, index) => ({
    ...{ id: `s${index}`, endpoint },
    ...(index === 0 ? {} : { needs: [`s${index - 1}`] }),
  }));
const PIPELINES = [
  { slug: 'ship', description: 'Ships it', nodes: stepsOf('disk', 'count', 'fail') },
  { slug: 'look', nodes: stepsOf('disk') },
  { slug: 'ask', nodes: stepsOf('count', 'typed-ask') },
  {
    slug: 'greet',
    trigger: {
      type: 'webhook',
      input_schema: [
        { name: 'who', type: 'string', required: true },
        { name: 'size', type: 'number' },
      ],
    },
    nodes: [{ id: 'greet', endpoint: 'hello', args: { name: '{input.who}' } }],
  },
  { slug: 'not-for-agents', mcp: false, nodes: stepsOf('disk') },
  { slug: 'of-hidden', nodes: stepsOf('disk', 'hidden') },
  { slug: 'signed', trigger: { type: 'webhook', secret: 'a long secret' }, nodes: stepsOf('disk') },
];

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld();
  agent = await realAgent(world, ENDPOINTS);
  for (const pipeline of PIPELINES) await makePipeline(world, pipeline);
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const connect = (era: 'modern' | 'legacy', path = '/mcp') =>
  agentClient({ url: `${world.hub.hubUrl}${path}`, key: world.start.apiKey, era });

describe.each(['modern', 'legacy'] as const)('the official client in the %s era', (era) => {
  test('lists endpoints and pipelines by name, and the tools of svc after them', async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'ask',
      'count',
      'disk',
      'fail',
      'greet',
      'hello',
      'look',
      'many',
      'restart',
      'ship',
      'sum',
      'typed',
      'typed-ask',
      'svc_output',
      'svc_status',
      'svc_cancel',
    ]);
    expect(tools.find(({ name }) => name === 'hello')).toMatchObject({
      title: 'hello',
      description: 'Greets. Runs `printf "hello %s\\n" {{name}}` on agent default.',
      inputSchema: { type: 'object', required: ['name'], additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    await client.close();
  });

  test('runs a command and reads its output; the record says that an agent called', async () => {
    const client = await connect(era);
    const messages: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'hello', arguments: { name: 'Ada' } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(result.isError).toBe(false);
    expect(textOf(result)).toContain('Exit code 0');
    expect(textOf(result)).toContain('hello Ada\n');
    expect(messages).toEqual(['hello Ada']);
    const id = String(result._meta?.['svc/execution-id']);
    const recorded = await (await world.manage(`/executions/${id}`)).json();
    expect(recorded).toMatchObject({ endpoint: 'hello', trigger: 'mcp', status: 'succeeded' });
    await client.close();
  });

  test('gets exit codes as errors, data as structured content, and long output from its end', async () => {
    const client = await connect(era);
    const failed = await client.callTool({ name: 'fail' });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('Exit code 3');
    expect(textOf(failed)).toContain('broken');
    const sum = await client.callTool({ name: 'sum' });
    expect(sum.structuredContent).toEqual({ a: 1, b: 2 });
    expect(textOf(sum)).toContain('{"a":1,"b":2}');
    const many = await client.callTool({ name: 'many' });
    expect(textOf(many)).toMatch(/… [\d,]+ earlier lines at svc:\/\/executions\//);
    expect(textOf(many)).toContain('\n5000\n');
    expect(textOf(many)).not.toContain('\n42\n');
    const id = String(many._meta?.['svc/execution-id']);
    const page = await client.callTool({ name: 'svc_output', arguments: { id, from_line: 41, lines: 2 } });
    expect(textOf(page)).toContain('41\n42');
    expect(textOf(page)).toContain('More from line 43 on.');
    const found = await client.callTool({ name: 'svc_output', arguments: { id, grep: '4999' } });
    expect(textOf(found)).toContain('4999: 4999');
    const { contents } = await client.readResource({ uri: `svc://executions/${id}/output` });
    expect(contents[0]).toMatchObject({ mimeType: 'text/plain' });
    expect((contents[0] as { text: string }).text.split('\n')).toHaveLength(5001);
    await client.close();
  });

  test('gets data that fits the promised schema, or an error that says why not', async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'typed')?.outputSchema).toEqual(SCHEMA);
    const call = (json: object) => client.callTool({ name: 'typed', arguments: { json } });
    expect(await call({ n: 7 })).toMatchObject({ isError: false, structuredContent: { n: 7 } });
    const wrong = await call({ n: 'seven' });
    expect(wrong.isError).toBe(true);
    expect(wrong.structuredContent).toBeUndefined();
    expect(textOf(wrong)).toContain('transform_failed');
    expect(textOf(wrong)).toContain('the result does not match the schema at /n');
    // The official client refuses a result without data, unless it is an error.
    const pending = await client.callTool({ name: 'typed-ask' });
    expect(pending.isError).toBe(true);
    expect(textOf(pending)).toContain('Waits for approval: "typed-ask" has not run.');
    await client.close();
  });

  test('starts a pipeline, sees its steps, and gets the end of their output', async () => {
    const client = await connect(era);
    const messages: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'ship' },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('Exit code 3');
    expect(textOf(result)).toContain('- s1: succeeded');
    expect(textOf(result)).toContain('- s2: failed');
    expect(textOf(result)).toContain('== s1\none\ntwo\nthree\n== s2\nbroken');
    expect(messages.length).toBeGreaterThan(0);
    expect(messages[0]).toMatch(/^s0: (running|succeeded).* of 3 done\)$/);
    const id = String(result._meta?.['svc/run-id']);
    expect(await showRun(world, id)).toMatchObject({ status: 'failed', trigger: 'mcp' });
    const status = await client.callTool({ name: 'svc_status', arguments: { id } });
    expect(textOf(status)).toBe(textOf(result));
    const page = await client.callTool({ name: 'svc_output', arguments: { id, grep: 't' } });
    expect(textOf(page)).toContain('two\n');
    await client.close();
  });

  test('gives a pipeline its input, and nothing else', async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'greet')?.inputSchema).toEqual({
      type: 'object',
      properties: { who: { type: 'string' }, size: { type: 'number' } },
      required: ['who'],
      additionalProperties: false,
    });
    const greet = (args: object) => client.callTool({ name: 'greet', arguments: { ...args } });
    expect(textOf(await greet({ who: 'Ada', size: 2 }))).toContain('hello Ada');
    expect(textOf(await greet({ who: 5 }))).toStartWith('invalid_argument');
    expect(textOf(await greet({ who: 'Ada', other: 1 }))).toBe(
      'invalid_argument: "other" is no field of this tool',
    );
    await client.close();
  });

  test('waits for a person where a step needs approval; the agent can cancel the run', async () => {
    const client = await connect(era);
    const pending = await client.callTool({ name: 'ask' });
    expect(pending.isError).toBe(false);
    expect(textOf(pending)).toContain('Waits for approval: step "s1" has not run. A signed-in member');
    const id = String(pending._meta?.['svc/run-id']);
    const run = await showRun(world, id);
    const approvalId = run.nodes[1]?.attempts[0]?.approval_id;
    const approval = (await (await world.manage(`/approvals/${approvalId}`)).json()) as object;
    expect(approval).toMatchObject({ requested_by: expect.stringContaining('an AI agent with key') });
    // The person whose key the agent has decides in a browser, never with a token, which the agent may have.
    const decided = await world.manage(`/approvals/${approvalId}/decide`, postOf({ decision: 'approve' }));
    expect([decided.status, await decided.text()]).toEqual([
      403,
      expect.stringContaining('an AI agent made this call for you'),
    ]);
    const cancelled = await client.callTool({ name: 'svc_cancel', arguments: { id } });
    expect(cancelled.isError).toBe(false);
    const ended = await client.callTool({ name: 'svc_status', arguments: { id, wait_s: 50 } });
    expect(textOf(ended)).toContain('The run is cancelled.');
    await client.close();
  });

  test('gets the problem of a value, and that an unknown tool does not exist', async () => {
    const client = await connect(era);
    const wrong = await client.callTool({ name: 'hello', arguments: { name: 'a b' } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain('invalid_argument: argument "name"');
    const unknown = await client.callTool({ name: 'nothing' });
    expect(textOf(unknown)).toBe('not_found: there is no such tool: "nothing"');
    await client.close();
  });
});

describe('the owner of an endpoint', () => {
  test('says what it does, and hides it', async () => {
    const client = await connect('modern');
    const { tools } = await client.listTools();
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('disk')).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    expect(hints('restart')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(hints('hello')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
    expect(textOf(await client.callTool({ name: 'hidden' }))).toContain('there is no such tool');
    await client.close();
  });
});

test('a key reaches only the pipelines in its scope, and no pipeline that is hidden or to be signed', async () => {
  const made = await world.manage('/api-keys', postOf({ name: 'some', endpoints: ['look', 'count'] }));
  const { token: key } = (await made.json()) as { token: string };
  const url = `${world.hub.hubUrl}/mcp`;
  const [all, some] = [await connect('modern'), await agentClient({ url, key })];
  const { tools } = await some.listTools();
  expect(tools.map(({ name }) => name).slice(0, 2)).toEqual(['count', 'look']);
  for (const name of ['not-for-agents', 'of-hidden', 'signed'])
    expect(textOf(await all.callTool({ name }))).toBe(`not_found: there is no such tool: "${name}"`);
  expect(textOf(await some.callTool({ name: 'ship' }))).toBe('not_found: there is no such tool: "ship"');
  const run = await all.callTool({ name: 'look' });
  const id = String(run._meta?.['svc/run-id']);
  for (const name of ['svc_status', 'svc_output', 'svc_cancel'])
    expect(textOf(await some.callTool({ name, arguments: { id } }))).toBe(
      'not_found: there is no such execution',
    );
  await Promise.all([all.close(), some.close()]);
});

describe('the address', () => {
  const own = ['svc_output', 'svc_status', 'svc_cancel'];

  test('narrows the tools, and the calls', async () => {
    const names = async (query: string) => {
      const client = await connect('modern', `/mcp/${world.start.username}?${query}`);
      const { tools } = await client.listTools();
      await client.close();
      return tools.map(({ name }) => name);
    };
    expect(await names('tools=hello,co*')).toEqual(['count', 'hello', ...own]);
    expect(await names('readonly=1')).toEqual(['disk', 'look', ...own]);
    const client = await connect('modern', '/mcp?readonly=1');
    expect(textOf(await client.callTool({ name: 'count' }))).toContain('there is no such tool');
    await client.close();
  });

  test('asks for a search in place of a list; what is found can be described and run', async () => {
    const client = await connect('modern', '/mcp?mode=search');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['svc_find', 'svc_describe', 'svc_run', ...own]);
    const found = await client.callTool({ name: 'svc_find', arguments: { query: 'greets somebody' } });
    expect(textOf(found)).toStartWith('hello: Greets.');
    const described = await client.callTool({ name: 'svc_describe', arguments: { name: 'hello' } });
    expect(JSON.parse(textOf(described))).toMatchObject({
      name: 'hello',
      inputSchema: { required: ['name'] },
    });
    const args = { name: 'hello', args: { name: 'Ada' } };
    expect(textOf(await client.callTool({ name: 'svc_run', arguments: args }))).toContain('hello Ada');
    await client.close();
  });
});
