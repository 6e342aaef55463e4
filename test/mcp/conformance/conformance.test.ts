// The official conformance suite against fixtures behind the code that serves /mcp, in both eras.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import { mcpEndpoint } from '@svc/hub/mcp/mcp-endpoint';
import type { AgentPrincipal } from '@svc/hub/mcp/sealed-state';
import { refusalResponse } from '@svc/hub/platform/http/json-response';
import { type TemporaryFolder, temporaryFolder } from '../../temporary-folder.ts';
import { fixtureServer } from './fixtures.ts';
import { PRINCIPAL, takeAnswer, vault } from './questions.ts';
import { runSuite } from './suite.ts';

let folder: TemporaryFolder;
let server: Bun.Server<undefined>;

beforeAll(async () => {
  folder = await temporaryFolder();
  let answer: (request: Request, visit: AgentPrincipal) => Promise<Response>;
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
      return await answer(request, PRINCIPAL).catch((error: unknown) => {
        if (error instanceof Refusal) return refusalResponse(error);
        throw error;
      });
    },
  });
  answer = mcpEndpoint({ hubUrl: server.url.origin }, fixtureServer, { questions: { vault, takeAnswer } });
});

afterAll(async () => {
  await server?.stop(true);
  await folder?.[Symbol.asyncDispose]();
});

/** The scenarios that a revision requires, and those of them that failed. */
async function run(requirements: string): Promise<{ passed: string[]; failed: string[] }> {
  const url = new URL('/mcp', server.url).href;
  const text = await runSuite(url, ['--requirements', requirements], folder.path);
  const [summary = '', notScored = ''] = text.split('Not scored');
  const outside = new Set([...notScored.matchAll(/^ +[✓✗] (\S+)/gmu)].map(([, name]) => name));
  const scored = [...summary.matchAll(/^([✓✗]) (\S+): /gmu)].filter(([, , name]) => !outside.has(name));
  const named = (mark: string) => scored.filter(([, is]) => is === mark).map(([, , name = '']) => name);
  return { passed: named('✓'), failed: named('✗').sort() };
}

test('all that the revision 2026-07-28 requires of a server passes', async () => {
  const { passed, failed } = await run('2026-07-28');
  expect(failed).toEqual([]);
  expect(passed).toHaveLength(37);
}, 120_000);

test('all that the revision 2025-11-25 requires of a server passes', async () => {
  const { passed, failed } = await run('2025-11-25');
  expect(failed).toEqual([]);
  expect(passed).toHaveLength(30);
}, 120_000);
