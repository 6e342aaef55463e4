import { randomUUID } from 'node:crypto';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { type ClientAnswer, type ClientQuestion, clientStream } from '@svc/hub/mcp/client-questions';
import type { ClientAbility } from '@svc/hub/mcp/client-session';
import { type AgentPrincipal, openFor, sealFor } from '@svc/hub/mcp/sealed-state';
import { EnvelopeVault } from '@svc/hub/platform/vault/envelope-vault';
import { z } from 'zod';

/** The suite has no credentials, so it is one principal. */
export const PRINCIPAL: AgentPrincipal = {
  caller: { kind: 'api_key', id: 'suite', workspaceId: 'suite', endpoints: undefined },
  workspace: { id: 'suite' },
};
export const vault = new EnvelopeVault(new Uint8Array(32));

const waiting = new Map<string, (answer: ClientAnswer) => void>();

/** Takes an answer as the hub does: by the sealed id, in a request of its own. */
export async function takeAnswer(answer: ClientAnswer, principal: AgentPrincipal): Promise<boolean> {
  const opened = openFor(vault, principal, 'question', answer.id) as { key: string } | undefined;
  const take = waiting.get(opened?.key ?? '');
  take?.(answer);
  return take !== undefined;
}

/** Asks the client in the middle of its request, and returns what it answered. */
async function ask(server: McpServer, ctx: ServerContext, question: ClientQuestion): Promise<string> {
  const key = randomUUID();
  const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
  waiting.set(key, resolve);
  await clientStream(server, ctx).ask(sealFor(vault, PRINCIPAL, 'question', { key }), question);
  const { result } = await promise.finally(() => waiting.delete(key));
  return JSON.stringify(result);
}

const ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [1, 2, 3].map((count) => ({ const: `value${count}`, title: `Option ${count}` })),
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: { anyOf: [1, 2, 3].map((count) => ({ const: `value${count}`, title: `Choice ${count}` })) },
  },
};
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const USER = { username: { type: 'string' }, email: { type: 'string' } };

/** The tools of the suite that ask in the middle of a request. */
export function addQuestionTools(server: McpServer, abilities: ReadonlySet<ClientAbility>): void {
  const tool = (
    name: string,
    ability: ClientAbility,
    inputSchema: z.ZodObject,
    question: (args: Readonly<Record<string, unknown>>) => ClientQuestion,
  ) =>
    server.registerTool(name, { description: 'A fixture.', inputSchema }, async (args, ctx) => {
      if (!abilities.has(ability)) throw new Error(`the client cannot be asked (${ability})`);
      const text = `The client answered ${await ask(server, ctx, question(args))}`;
      return { content: [{ type: 'text' as const, text }] };
    });
  const form = (message: unknown, properties: object, required: string[] = []): ClientQuestion => ({
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
  });
  tool('test_elicitation', 'fill_form', z.object({ message: z.string() }), ({ message }) =>
    form(message, USER, ['username', 'email']),
  );
  tool('test_elicitation_sep1034_defaults', 'fill_form', z.object({}), () => form('Defaults', DEFAULTS));
  tool('test_elicitation_sep1330_enums', 'fill_form', z.object({}), () => form('Enums', ENUMS));
  tool('test_sampling', 'sample', z.object({ prompt: z.string() }), ({ prompt }) => ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
  }));
}
