import { type ExecutionEvent, readEvent } from '@svc/core/execution/event';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { EXIT, Failure } from '../failure.ts';
import { ask, refusalOf, type Service } from '../service/service.ts';

const TRIES = 10;
const PAUSE_MS = 1_000;

/** An event and its id, from which a reader can go on. */
export interface Followed {
  readonly id: string;
  readonly event: ExecutionEvent;
}

/** The events of an execution to its end; when the connection breaks it goes on where it was. */
export async function* followExecution(
  service: Service,
  executionId: string,
  after = '0',
): AsyncGenerator<Followed> {
  let last = after;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await Bun.sleep(PAUSE_MS);
    const response = await open(service, executionId, last).catch((error: unknown) => {
      if (tries === 0) throw error;
      return undefined;
    });
    if (response === undefined) continue;
    if (response.status === 204) return;
    for await (const followed of eventsOf(response)) {
      last = followed.id;
      // Whoever gets on has not lost the connection for good.
      tries = 0;
      yield followed;
      if (followed.event.type === 'done' || followed.event.type === 'error') return;
    }
  }
  throw new Failure(`the connection broke; svc logs ${executionId} --after ${last} goes on`, {
    exitCode: EXIT.failed,
  });
}

async function open(service: Service, executionId: string, last: string): Promise<Response> {
  const url = `${service.baseUrl}/executions/${encodeURIComponent(executionId)}/stream`;
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': last };
  const response = await ask(service, url, { headers });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function* eventsOf({ body }: Response): AsyncGenerator<Followed> {
  const decoder = new SseDecoder();
  try {
    for await (const chunk of body ?? []) {
      for (const { data, lastEventId } of decoder.push(chunk)) {
        const event = readEvent(data);
        if (event !== undefined) yield { id: lastEventId, event };
      }
    }
  } catch (error) {
    // A connection that breaks shows as an end without `done`.
    if (error instanceof Failure) throw error;
  }
}
