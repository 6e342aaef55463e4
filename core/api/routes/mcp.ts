import { z } from 'zod';
import { empty, events, json } from '../contract/answer.ts';
import type { Routes } from '../contract/route.ts';

const message = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpMessage', description: 'A JSON-RPC message of the Model Context Protocol.' });

const EXAMPLE = {
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: 'Exit code 0 after 12 ms.' }], isError: false },
} as const;
const EXAMPLE_ERROR = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32602, message: 'there is no such tool' },
} as const;

const LONGEST_SELECTION = 2_000;

const MCP = {
  method: 'POST',
  description: [
    'One JSON-RPC message of the Model Context Protocol, in the revisions 2026-07-28 and 2025-11-25 and earlier ones. Each',
    'endpoint and pipeline that the key may call is a tool. A call is an ordinary execution, or a run, with the trigger `mcp`. Guide:',
    'ai-agents.md.',
  ].join(' '),
  access: { kind: 'caller', credentials: ['api_key', 'personal', 'oauth'] },
  query: z.strictObject({
    tools: z
      .string()
      .max(LONGEST_SELECTION, { error: `at most ${LONGEST_SELECTION} characters` })
      .optional()
      .describe('Only these tools: names with commas between them, or beginnings of names that end in `*`.'),
    readonly: z
      .enum(['0', '1'], { error: '0 or 1' })
      .optional()
      .describe('`1`: only tools whose endpoint says `effects: read`.'),
    mode: z
      .enum(['list', 'search'], { error: 'list or search' })
      .optional()
      .describe('Whether tools are listed one by one, or found with `svc_find`. Default: by their number.'),
  }),
  headers: {
    'MCP-Protocol-Version': 'The revision of the protocol.',
    'Mcp-Method': 'From 2026-07-28 on: the method of the message.',
    'Mcp-Name': 'From 2026-07-28 on: the name of the tool, or the URI of the resource.',
    'Mcp-Session-Id': 'Before 2026-07-28: the header of the answer to `initialize`, if there was one.',
  },
  answers: {
    200: events('The answer, or a stream of progress that ends with the answer.', {
      schema: message,
      example: EXAMPLE,
    }),
    202: empty('The message was a notification, or an answer to a question of the hub.'),
    400: json('The message breaks the protocol.', message, EXAMPLE_ERROR),
    404: json('The method does not exist.', message, EXAMPLE_ERROR),
    413: json('The message is too large.', message, EXAMPLE_ERROR),
    415: json('The body is not JSON.', message, EXAMPLE_ERROR),
    500: json('A bug of the hub.', message, EXAMPLE_ERROR),
  },
  refusals: ['forbidden', 'not_found', 'payload_too_large', 'unsupported_media_type', 'concurrency_limited'],
} as const;

/** Endpoints as tools for AI agents (decision 66, tools for AI agents). */
export const mcpRouteRows = {
  mcp: { ...MCP, path: '/mcp', summary: 'Speak MCP with the workspace of the key' },
  mcpOfWorkspace: {
    ...MCP,
    path: '/mcp/{username}',
    summary: 'Speak MCP with a workspace',
    refusals: [...MCP.refusals, 'username_gone'],
  },
} as const satisfies Routes;
