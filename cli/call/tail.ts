import { type TailMessage, tailMessage } from '@svc/core/api/contract/tail-message';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { EXIT, Failure } from '../failure.ts';
import { findService } from '../service/find-service.ts';
import { ask, failureOfResponse, type Service } from '../service/service.ts';
import { endWithReader, printRaw } from '../terminal.ts';
import type { TailOptions } from './options.ts';

const MAX_ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/** `svc tail`: prints the output of all executions until the program is stopped. */
export async function tail(options: TailOptions): Promise<void> {
  if (options.raw) printRaw();
  endWithReader();
  const service = findService(options, process.env);
  const query = queryOf(options);
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    if (attempts > 0) await Bun.sleep(PAUSE_MS);
    const response = await open(service, query, attempts === 0);
    if (response === undefined) continue;
    if (attempts > 0) process.stderr.write('connected again; lines in between are missing\n');
    for await (const event of eventsOf(response)) {
      if (event.type === 'ready' && attempts === 0) process.stderr.write('waiting for output\n');
      // Progress starts the count of attempts again.
      attempts = 0;
      print(event, options);
    }
  }
  throw new Failure('connection lost', { exitCode: EXIT.failed });
}

function queryOf({ endpoint, agent, stderr, text }: TailOptions): string {
  const query = new URLSearchParams();
  if (endpoint !== undefined) query.set('endpoint', endpoint);
  if (agent !== undefined) query.set('agent', agent);
  if (stderr) query.set('stream', 'stderr');
  if (text !== undefined) query.set('text', text);
  return query.size === 0 ? '' : `?${query}`;
}

/** Undefined: a later attempt may succeed. Throws an error that no attempt can change. */
async function open(service: Service, query: string, isFirst: boolean): Promise<Response | undefined> {
  const headers = { Accept: 'text/event-stream' };
  const asked = ask(service, `${service.baseUrl}/tail${query}`, { headers });
  const response = await asked.catch((error: unknown) => {
    if (isFirst) throw error;
    return undefined;
  });
  if (response === undefined || response.ok) return response;
  if (isFirst || (response.status >= 400 && response.status < 500)) throw await failureOfResponse(response);
  await response.body?.cancel();
  return undefined;
}

async function* eventsOf({ body }: Response): AsyncGenerator<TailMessage> {
  const decoder = new SseDecoder();
  try {
    for await (const chunk of body ?? []) {
      for (const { data } of decoder.push(chunk)) {
        // An event of a newer service is skipped.
        const event = tailMessage.safeParse(JSON.parse(data)).data;
        if (event !== undefined) yield event;
      }
    }
  } catch (error) {
    // A broken connection is opened again.
    if (error instanceof Failure) throw error;
  }
}

function print(event: TailMessage, { json }: TailOptions): void {
  if (json) {
    if (event.type !== 'ready') process.stdout.write(`${JSON.stringify(event)}\n`);
    return;
  }
  if (event.type === 'dropped') process.stderr.write(`${event.lines} lines were left out here\n`);
  if (event.type !== 'line') return;
  const { endpoint, execution_id: id, stream, data, cut } = event;
  const start = `${endpoint} ${id} ${stream === 'stderr' ? '!' : '|'} `;
  // After a carriage return a command would write over the name, and could show that of another execution.
  const [first = '', ...rest] = data.split(/[\r\n]/).filter((part) => part !== '');
  const parts = [first, ...rest].join(`\n${start}`);
  process.stdout.write(`${start}${parts}${cut ? '…' : ''}\n`);
}
