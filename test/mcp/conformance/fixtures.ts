import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ClientAbility } from '@svc/hub/mcp/client-session';
import { z } from 'zod';
import { addQuestionTools } from './questions.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const states = createRequestStateCodec<{ step: number }>({ key: randomBytes(32) });
/** The suite asks for a description of everything. */
const none = { description: 'A fixture.', inputSchema: z.object({}) };
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const user = (content: object) => ({ role: 'user' as const, content: content as never });

const question = (message: string, name: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } as never,
  });
const sampling = (asked: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: asked } }],
    maxTokens,
  });

function declared(ctx: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? {};
}

/** The tools that the official conformance suite requires by name, on a server of one request. */
export function fixtureServer(_: unknown, _era: unknown, abilities: ReadonlySet<ClientAbility>): McpServer {
  const server = new McpServer(
    { name: 'fixtures', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      cacheHints: { 'tools/list': { ttlMs: 5_000, cacheScope: 'private' } },
      requestState: { verify: states.verify },
    },
  );
  addContentTools(server);
  addInputTools(server);
  addQuestionTools(server, abilities);
  addResources(server);
  addPrompts(server);
  return server;
}

function addContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', none, () => text('This is a simple text response for testing.'));
  const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
  server.registerTool('test_image_content', none, () => ({ content: [image] }));
  server.registerTool('test_audio_content', none, () => ({
    content: [{ type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }],
  }));
  const embedded = (uri: string, mimeType: string, value: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text: value },
  });
  server.registerTool('test_embedded_resource', none, () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  server.registerTool('test_multiple_content_types', none, () => ({
    content: [
      { type: 'text' as const, text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }));
  server.registerTool('test_error_handling', none, () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  }));
  server.registerTool('test_tool_with_progress', none, async (_, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
    return text('done');
  });
  const log = async (ctx: ServerContext) => {
    await ctx.mcpReq.log('info', 'Tool execution started');
    await ctx.mcpReq.log('info', 'Tool processing data');
    await ctx.mcpReq.log('info', 'Tool execution completed');
    return text('logged');
  };
  server.registerTool('test_tool_with_logging', none, (_, ctx) => log(ctx));
  server.registerTool('test_logging_tool', none, (_, ctx) => log(ctx));
}

function addInputTools(server: McpServer): void {
  server.registerTool('test_missing_capability', none, () =>
    inputRequired({ inputRequests: { greeting: sampling('Generate a greeting', 50) } }),
  );
  const greet = (ctx: ServerContext) => {
    const name = acceptedContent<{ name?: unknown }>(ctx.mcpReq.inputResponses, 'user_name')?.name;
    if (typeof name === 'string') return text(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: question('What is your name?', 'name') } });
  };
  server.registerTool('test_input_required_result_elicitation', none, (_, ctx) => greet(ctx));
  server.registerTool('test_streaming_elicitation', none, (_, ctx) => greet(ctx));
  server.registerTool('test_input_required_result_sampling', none, (_, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'capital_question');
    if (answer.kind !== 'missing') return text(JSON.stringify(answer));
    const asked = sampling('What is the capital of France?', 100);
    return inputRequired({ inputRequests: { capital_question: asked } });
  });
  server.registerTool('test_input_required_result_list_roots', none, (_, ctx) => {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'client_roots');
    if (answer.kind !== 'missing') return text(JSON.stringify(answer));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirm = async (ctx: ServerContext) => {
    const state = ctx.mcpReq.requestState<{ step: number }>();
    if (state?.step === 1) return text('state-ok');
    return inputRequired({
      inputRequests: { confirm: question('Please confirm', 'ok', 'boolean') },
      requestState: await states.mint({ step: 1 }, ctx),
    });
  };
  server.registerTool('test_input_required_result_request_state', none, (_, ctx) => confirm(ctx));
  server.registerTool('test_input_required_result_tampered_state', none, (_, ctx) => confirm(ctx));
  server.registerTool('test_input_required_result_multiple_inputs', none, async (_, ctx) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    const given = keys.filter((key) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing');
    if (given.length === keys.length) return text('all there');
    return inputRequired({
      inputRequests: {
        user_name: question('What is your name?', 'name'),
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ step: 1 }, ctx),
    });
  });
  server.registerTool('test_input_required_result_multi_round', none, async (_, ctx) => {
    const step = ctx.mcpReq.requestState<{ step: number }>()?.step ?? 0;
    const ask = async (next: number, message: string, name: string) =>
      inputRequired({
        inputRequests: { [`step${next}`]: question(message, name) },
        requestState: await states.mint({ step: next }, ctx),
      });
    if (step === 0) return ask(1, 'Step 1: What is your name?', 'name');
    if (step === 1) return ask(2, 'Step 2: What is your favorite color?', 'color');
    return text('done');
  });
  server.registerTool('test_input_required_result_capabilities', none, (_, ctx) => {
    const { elicitation, sampling: canSample } = declared(ctx);
    return inputRequired({
      inputRequests: {
        ...(elicitation === undefined ? {} : { user_name: question('What is your name?', 'name') }),
        ...(canSample === undefined ? {} : { greeting: sampling('Generate a greeting', 50) }),
      },
    });
  });
}

function addResources(server: McpServer): void {
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  const read = (mimeType: string, content: { text: string } | { blob: string }) => (uri: URL) => ({
    contents: [{ uri: uri.href, mimeType, ...content } as never],
  });
  const about = (mimeType: string) => ({ mimeType, cacheHint: { ttlMs: 0, cacheScope: 'private' as const } });
  server.registerResource(
    'static-text',
    'test://static-text',
    about('text/plain'),
    read('text/plain', { text: 'This is the content of the static text resource.' }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    about('image/png'),
    read('image/png', { blob: PNG }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    about('application/json'),
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A fixture.' }, () => ({
    messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })],
  }));
  const cities = completable(z.string(), (start) =>
    ['paris', 'park'].filter((city) => city.startsWith(start)),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A fixture.', argsSchema: z.object({ arg1: cities, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A fixture.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        user({ type: 'text', text: 'Please process the embedded resource above.' }),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A fixture.' }, () => ({
    messages: [
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      user({ type: 'text', text: 'Please analyze the image above.' }),
    ],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'A fixture.' }, (ctx) => {
    const answer = inputResponse((ctx as ServerContext).mcpReq.inputResponses, 'user_context');
    if (answer.kind !== 'missing')
      return { messages: [user({ type: 'text', text: JSON.stringify(answer) })] };
    const asked = question('What context should the prompt use?', 'context');
    return inputRequired({ inputRequests: { user_context: asked } });
  });
}
