const PROTOCOL = 'io.modelcontextprotocol';

/** A client of the revision 2026-07-28, without a library between it and the clock. */
export interface Agent {
  readonly url: string;
  readonly key: string;
  readonly capabilities?: object;
}

interface More {
  readonly _meta?: object;
  /** Hears of each message of a stream, the answer included. */
  readonly onMessage?: () => void;
  /** On a connection that closes after the answer. */
  readonly isAlone?: boolean;
}

export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
}

export function call(agent: Agent, name: string, args: object, more: More = {}): Promise<Answer> {
  return rpc(agent, 'tools/call', { name, arguments: args }, more);
}

export async function rpc(
  { url, key, capabilities = {} }: Agent,
  method: string,
  params: { readonly name?: string; readonly arguments?: object } = {},
  { _meta, onMessage, isAlone = false }: More = {},
): Promise<Answer> {
  const meta = {
    [`${PROTOCOL}/protocolVersion`]: '2026-07-28',
    [`${PROTOCOL}/clientCapabilities`]: capabilities,
    ..._meta,
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      ...(isAlone ? { connection: 'close' } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return (await response.json()) as Answer;
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    onMessage?.();
  }
  return JSON.parse(/data: ([^\n]*)\n\n$/.exec(text)?.[1] ?? '{}') as Answer;
}
