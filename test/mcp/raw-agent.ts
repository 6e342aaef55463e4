const PROTOCOL = 'io.modelcontextprotocol';

export interface RawAgent {
  readonly url: string;
  readonly key: string;
  /** Default: none. */
  readonly capabilities?: object;
}

export interface RpcAnswer {
  readonly status: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends one message of the revision 2026-07-28, byte by byte as an attacker would write it. */
export async function rpc(
  agent: RawAgent,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<RpcAnswer> {
  const response = await send(agent, method, params);
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const json = isStream ? (/data: (.*)\n\n$/.exec(text)?.[1] ?? '{}') : text;
  return { status: response.status, ...(JSON.parse(json) as object) };
}

/** Sends one message, and returns the answer as it begins. */
export async function send(
  { url, key, capabilities = {} }: RawAgent,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Response> {
  const meta = {
    [`${PROTOCOL}/protocolVersion`]: '2026-07-28',
    [`${PROTOCOL}/clientCapabilities`]: capabilities,
    ...(params._meta as object | undefined),
  };
  const named = params.name ?? params.uri ?? params.taskId;
  return await fetch(url, {
    method: 'POST',
    ...(signal && { signal }),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** Sends one message of the revision 2025-11-25. `session`: what `initialize` answered in its header. */
export async function sendLegacy(
  { url, key }: RawAgent,
  message: Readonly<Record<string, unknown>>,
  session?: string,
): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

/** The session of a client of the revision 2025-11-25 with these capabilities; null: it has none. */
export async function sessionOf(agent: RawAgent, capabilities: object): Promise<string | null> {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const response = await sendLegacy(agent, { id: 1, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id');
}

/** Reads the messages of an open stream one by one. */
export function openStream(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  return {
    /** The first message with this text. */
    async messageWith(text: string): Promise<Record<string, unknown>> {
      for (;;) {
        const whole = read.slice(0, read.lastIndexOf('\n') + 1).split('\n');
        const line = whole.find((one) => one.startsWith('data: ') && one.includes(text));
        if (line !== undefined) return JSON.parse(line.slice('data: '.length));
        const { done = true, value = '' } = (await reader?.read()) ?? {};
        if (done) throw new Error(`the stream ended without ${text}: ${read}`);
        read += value;
      }
    },
    /** All that was on the stream, once it has ended. */
    async rest(): Promise<string> {
      for (;;) {
        const { done = true, value = '' } = (await reader?.read()) ?? {};
        if (done) return read;
        read += value;
      }
    },
  };
}

/** The answer to a call with its headers. */
export function callResponse(agent: RawAgent, name: string, args: object): Promise<Response> {
  return send(agent, 'tools/call', { name, arguments: args });
}

export function call(agent: RawAgent, name: string, args: object, more: object = {}): Promise<RpcAnswer> {
  return rpc(agent, 'tools/call', { name, arguments: args, ...more });
}
