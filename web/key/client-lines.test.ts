import { expect, test } from 'bun:test';
import { clientLines } from './client-lines.ts';

const HUB = 'https://svc.example.com';

test('each client gets the address of the hub, and a place for a key only if it cannot sign in', () => {
  for (const { label, text, signsIn } of clientLines(HUB)) {
    expect([label, text.includes(HUB)]).toEqual([label, true]);
    expect([label, text.includes('svc_sk_')]).toEqual([label, !signsIn]);
  }
});

test('the lines are what the clients read', () => {
  const [claude, desktop, cursor, code, codex] = clientLines(HUB).map(({ text }) => text);
  expect(claude).toBe('claude mcp add --transport http svc https://svc.example.com/mcp');
  const env = { SVC_BASE_URL: HUB, SVC_API_KEY: 'svc_sk_…' };
  expect(JSON.parse(desktop ?? '')).toEqual({ mcpServers: { svc: { command: 'svc', args: ['mcp'], env } } });
  expect(JSON.parse(cursor ?? '')).toEqual({ mcpServers: { svc: { url: `${HUB}/mcp` } } });
  expect(JSON.parse(code ?? '')).toEqual({ servers: { svc: { type: 'http', url: `${HUB}/mcp` } } });
  expect(codex).toBe('[mcp_servers.svc]\nurl = "https://svc.example.com/mcp"');
});
