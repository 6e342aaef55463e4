// The official conformance suite against the /mcp of a hub, with endpoints that an agent runs.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../../hub-world.ts';
import { type RealAgent, realAgent } from '../../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../../temporary-folder.ts';
import { failures } from './suite.ts';

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;
let proxy: Bun.Server<undefined>;

/** The pause between two notifications of progress. */
const PAUSE_MS = 250;

beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  const seconds = { name: 'seconds', type: 'number' };
  const word = (name: string) => ({ name, type: 'word', default: 'x' });
  agent = await realAgent(world, [
    { name: 'test_simple_text', command: 'echo "This is a simple text response for testing."' },
    { name: 'test_error_handling', command: 'sh -c "exit 1"' },
    {
      name: 'test_tool_with_progress',
      command: `echo 0; ${untilStep(1)}; echo 50; ${untilStep(2)}; echo 100`,
    },
    { name: 'greet', command: 'printf "Hello, %s!" {{name}}', args: [word('name')] },
    {
      name: 'slow_compute',
      command: 'sleep {{seconds}}; echo {{label}}',
      timeout: 300,
      args: [seconds, word('label')],
    },
    { name: 'failing_job', command: 'sh -c "sleep 1; exit 1"', timeout: 300 },
  ]);
  // The suite has no credentials.
  proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${world.start.apiKey}`);
      if (headers.get('origin') === proxy.url.origin) headers.set('origin', world.hub.hubUrl);
      const { method, body, signal } = request;
      return afterProgress(await fetch(`${world.hub.hubUrl}/mcp`, { method, headers, body, signal }));
    },
  });
});

/** Waits for the file of a step, in a command. */
function untilStep(step: number): string {
  return `until [ -e ${join(folder.path, `step-${step}`)} ]; do sleep 0.02; done`;
}

/** Lets the pause between two notifications pass after each one, and the command take its next step. */
function afterProgress(response: Response): Response {
  let steps = 0;
  const stepped = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      controller.enqueue(chunk);
      if (!Buffer.from(chunk).includes('notifications/progress')) return;
      world.clock.move(PAUSE_MS);
      steps += 1;
      await Bun.write(join(folder.path, `step-${steps}`), '');
    },
  });
  const { status, headers, body } = response;
  return new Response(body?.pipeThrough(stepped) ?? null, { status, headers });
}

afterAll(async () => {
  await proxy?.stop(true);
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/**
 * The checks that no workspace can pass, each with the only reason for which it may fail. They are about fixtures, not about rules of
 * the protocol: `conformance.test.ts` makes those that are required of every server. A check that passes although it is here, or
 * fails for another reason, fails the test.
 */
const ABOUT_FIXTURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server-stateless': {
    // No tool of svc asks the client to sample. The fixture does not exist here, and the result says so: it is no execution.
    'sep-2575-server-rejects-undeclared-capability':
      "Server executed 'test_missing_capability' although the client did not declare the 'sampling' capability — it MUST reject with -32021",
    'sep-2575-missing-capability-http-400':
      "Not testable: server does not list the diagnostic tool 'test_missing_capability' in tools/list, so the -32021 HTTP status could not be validated",
  },
  // A server without prompts does not know the method; hints are required of results.
  caching: {
    'sep-2549-prompts-list-caching-hints': 'prompts/list returned JSON-RPC error -32601: Method not found',
  },
  // A task ends as its call would have answered, and no call of an endpoint ends with an error of the protocol.
  'tasks-lifecycle': { 'sep-2663-tasks-get-status-failed': 'protocol_error_job MUST create a task' },
  // The check compares the first block with the output, and the first block is the exit code. The header itself is tolerated.
  'tasks-request-headers': {
    'tasks-headers-tolerate-mcp-method-on-tools-call':
      'tool result content MUST be unaffected by the Mcp-Method header',
  },
};

test.each([
  'server-stateless',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'resources-list',
  'sep-2164-resource-not-found',
  'caching',
  'http-header-validation',
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
])('%s', async (scenario) => {
  const failed = await failures(new URL('/mcp', proxy.url).href, scenario, folder.path);
  expect(failed).toEqual(ABOUT_FIXTURES[scenario] ?? {});
});
