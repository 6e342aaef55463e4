import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface AgentClientOptions {
  readonly url: string;
  readonly key: string;
  /** The revision: of 2026-07-28, or of 2025-11-25 and earlier. */
  readonly era?: 'modern' | 'legacy';
  /** Opens a page for the person of the agent; absent: the client declares no elicitation. */
  /** Hears the names of the tools when the server says that they have changed. */
  readonly onTools?: (names: string[]) => void;
  readonly onUrl?: (url: string, message: string) => Promise<'accept' | 'decline' | 'cancel'>;
}

/** The official client, connected. */
export async function agentClient({
  url,
  key,
  era = 'modern',
  onUrl,
  onTools,
}: AgentClientOptions): Promise<Client> {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    {
      capabilities: onUrl === undefined ? {} : { elicitation: { form: {}, url: {} } },
      ...(onTools === undefined
        ? {}
        : {
            listChanged: {
              tools: { onChanged: (_error, tools) => onTools((tools ?? []).map(({ name }) => name)) },
            },
          }),
      ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  );
  if (onUrl !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (!('url' in params)) throw new Error('a form was asked for');
      return { action: await onUrl(String(params.url), params.message) };
    });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The text of a result, block by block. */
export function textOf(result: unknown): string {
  const { content } = result as { content: { type: string; text?: string }[] };
  return content.map(({ text }) => text ?? '').join('\n');
}
