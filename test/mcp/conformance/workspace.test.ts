// The official conformance suite against the /mcp of a hub, with endpoints that an agent runs.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../../hub-world.ts';
import { type RealAgent, realAgent } from '../../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../../temporary-folder.ts';
import { failures } from './suite.ts';

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;
let proxy: Bun.Server<undefined>;

beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  const seconds = { name: 'seconds', type: 'number' };
  const word = (name: string) => ({ name, type: 'word', default: 'x' });
  agent = await realAgent(world, [
    { name: 'test_simple_text', command: 'echo "This is a simple text response for testing."' },
    { name: 'test_error_handling', command: 'sh -c "exit 1"' },
    { name: 'test_tool_with_progress', command: 'echo 0' },
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
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${world.start.apiKey}`);
      if (headers.get('origin') === proxy.url.origin) headers.set('origin', world.hub.hubUrl);
      const { method, body, signal } = request;
      return fetch(`${world.hub.hubUrl}/mcp`, { method, headers, body, signal });
    },
  });
});

afterAll(async () => {
  await proxy?.stop(true);
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/**
 * The cases that no workspace can pass, because the suite asks for a fixture that is not a command: a tool that asks the client
 * to sample, prompts, three notifications within 100 ms, a result without our head, and a task that ends as an error of the
 * protocol. `fixtures.ts` has those.
 */
const FIXTURES_ONLY: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
  ],
  'tools-call-with-progress': ['tools-call-with-progress'],
  caching: ['sep-2549-prompts-list-caching-hints'],
  'tasks-lifecycle': ['sep-2663-tasks-get-status-failed'],
  'tasks-request-headers': ['tasks-headers-tolerate-mcp-method-on-tools-call'],
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
  expect(failed).toEqual([...(FIXTURES_ONLY[scenario] ?? [])]);
});
