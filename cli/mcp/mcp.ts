import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { Failure } from '../failure.ts';
import { findService } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { ask, type Service } from '../service/service.ts';

export interface McpOptions extends ServiceOptions {
  readonly tools?: string;
  readonly readonly?: true;
  readonly mode?: string;
}

/** `svc mcp`: a hub as an MCP server on standard input and output. */
export async function mcp({ tools, readonly, mode, ...options }: McpOptions): Promise<void> {
  const service = findService(options, process.env);
  const query = new URLSearchParams({
    ...(tools === undefined ? {} : { tools }),
    ...(readonly === undefined ? {} : { readonly: '1' }),
    ...(mode === undefined ? {} : { mode }),
  }).toString();
  const url = `${service.baseUrl}/mcp${query === '' ? '' : `?${query}`}`;
  await new StdioBridge(service, url, process.stdout).run(process.stdin);
}

/** A JSON-RPC message, as far as the bridge reads it. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly taskId?: unknown;
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: unknown };
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * Carries messages between a client on stdin and stdout and the `/mcp` of a hub, one HTTP request for each, until stdin ends.
 *
 * A request that the client cancels is broken off, which cancels it at the hub (revision 2026-07-28).
 */
class StdioBridge {
  readonly #service: Service;
  readonly #url: string;
  readonly #output: Writable;
  readonly #open = new Map<string | number, AbortController>();
  /**
   * The protocol version that the client and the hub agreed on in `initialize`; the revision 2026-07-28 names it in each
   * message.
   */
  #agreedVersion: string | undefined;
  /** The session that the hub gave in `initialize`, by which it knows what it may ask the client. */
  #session: string | undefined;

  constructor(service: Service, url: string, output: Writable) {
    this.#service = service;
    this.#url = url;
    this.#output = output;
  }

  async run(input: Readable): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const carried = this.#carry(line).finally(() => underWay.delete(carried));
      underWay.add(carried);
    }
    for (const controller of this.#open.values()) controller.abort();
    await Promise.all(underWay);
  }

  async #carry(line: string): Promise<void> {
    const message = messageIn(line);
    if (message === undefined)
      return this.#write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no JSON' } });
    const { method, params, id } = message;
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (cancelled !== undefined) this.#open.get(cancelled)?.abort();
    const controller = new AbortController();
    const isRequest = method !== undefined && id !== undefined && id !== null;
    if (isRequest) this.#open.set(id, controller);
    try {
      await this.#send(line, message, controller.signal);
    } catch (error) {
      // A client expects no answer to a notification, and none to its answer.
      if (controller.signal.aborted || id === undefined || method === undefined) return;
      const reason = error instanceof Failure ? error.message : String(error);
      this.#write({ jsonrpc: '2.0', id, error: { code: -32603, message: reason } });
    } finally {
      if (isRequest) this.#open.delete(id);
    }
  }

  async #send(line: string, message: Message, signal: AbortSignal): Promise<void> {
    const headers = headersOf(message, this.#agreedVersion, this.#session);
    const response = await ask(this.#service, this.#url, { method: 'POST', headers, body: line, signal });
    if (message.method === 'initialize') this.#session = response.headers.get('mcp-session-id') ?? undefined;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      const decoder = new SseDecoder();
      for await (const chunk of response.body ?? [])
        for (const { data } of decoder.push(chunk as Uint8Array)) if (data !== '') this.#pass(message, data);
      return;
    }
    const text = await response.text();
    if (text.trim() === '') return;
    const answer = messageIn(text);
    if (answer !== undefined && 'jsonrpc' in answer) return this.#pass(message, text);
    // A refusal of the hub before the protocol, such as one of the key.
    const { error = text } = (answer ?? {}) as { error?: string };
    throw new Failure(`${response.status}: ${error}`);
  }

  #pass({ method }: Message, text: string): void {
    const answer = JSON.parse(text) as Message;
    const version = method === 'initialize' ? answer.result?.protocolVersion : undefined;
    if (typeof version === 'string') this.#agreedVersion = version;
    this.#write(answer);
  }

  #write(message: object): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }
}

function headersOf(
  { method, params }: Message,
  agreed: string | undefined,
  session: string | undefined,
): Record<string, string> {
  const version = params?._meta?.[VERSION_KEY];
  const named = params?.name ?? params?.uri ?? params?.taskId;
  const isModern = typeof version === 'string';
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(isModern ? { 'MCP-Protocol-Version': version, 'Mcp-Method': method ?? '' } : {}),
    ...(isModern && typeof named === 'string' ? { 'Mcp-Name': encodeName(named) } : {}),
    ...(!isModern && agreed !== undefined ? { 'MCP-Protocol-Version': agreed } : {}),
    ...(!isModern && session !== undefined && method !== 'initialize' ? { 'Mcp-Session-Id': session } : {}),
  };
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A header has visible ASCII only; other names travel as the specification says. */
function encodeName(name: string): string {
  return PLAIN.test(name) && !name.startsWith('=?base64?')
    ? name
    : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

function messageIn(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
