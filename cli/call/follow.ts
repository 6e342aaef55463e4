import { type RunEventMessage, runEventMessage } from '@svc/core/api/contract/run-event-message';
import { type ExecutionEvent, readEvent } from '@svc/core/execution/event';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { EXIT, Failure } from '../failure.ts';
import { ask, failureOfResponse, type Service } from '../service/service.ts';

const MAX_ATTEMPTS = 10;
const PAUSE_MS = 1_000;
const KINDS = [
  ['run', 'pipeline-runs'],
  ['execution', 'executions'],
] as const;

/** An event and its id, from which a reader can resume. */
export interface FollowedEvent {
  readonly id: string;
  readonly event: ExecutionEvent | RunEventMessage;
}

/** An execution or a pipeline run. */
export interface FollowedThing {
  readonly kind: 'execution' | 'run';
  readonly id: string;
}

/** The events of an execution or a run until its end, resumed after a broken connection. `pause` comes before each new attempt. */
export async function* follow(
  service: Service,
  thing: FollowedThing,
  after = '0',
  pause = () => Bun.sleep(PAUSE_MS),
): AsyncGenerator<FollowedEvent> {
  let last = after;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    if (attempts > 0) await pause();
    const response = await open(service, thing, last).catch((error: unknown) => {
      if (attempts === 0) throw error;
      return undefined;
    });
    if (response === undefined) continue;
    if (response.status === 204) return;
    for await (const followed of eventsOf(response)) {
      // The service is there, so the count of attempts starts again, however long the command is silent.
      attempts = 0;
      if (followed === undefined) continue;
      last = followed.id === '' ? last : followed.id;
      yield followed;
      if (isLast(followed.event)) return;
    }
  }
  throw new Failure(`connection lost; continue with svc logs ${thing.id} --after ${last}`, {
    exitCode: EXIT.failed,
  });
}

/** Finds out whether an id belongs to an execution or to a run. */
export async function findThing(service: Service, id: string): Promise<FollowedThing> {
  for (const [kind, things] of KINDS) {
    const response = await ask(service, `${service.baseUrl}/${things}/${id}`);
    if (response.status !== 404 && !response.ok) throw await failureOfResponse(response);
    await response.body?.cancel();
    if (response.ok) return { kind, id };
  }
  throw new Failure(`no execution or pipeline run ${id}, or none that you can view`, {
    tip: 'svc logs, or svc logs --runs',
  });
}

function isLast(event: FollowedEvent['event']): boolean {
  return (event.type === 'done' || event.type === 'error') && event.step === undefined;
}

async function open(service: Service, { kind, id }: FollowedThing, last: string): Promise<Response> {
  const path = kind === 'run' ? `/pipeline-runs/${id}/stream?events=nodes` : `/executions/${id}/stream`;
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': last };
  const response = await ask(service, `${service.baseUrl}${path}`, { headers });
  if (!response.ok) throw await failureOfResponse(response);
  if (response.status === 204 || response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response;
  await response.body?.cancel();
  throw new Failure(`the answer of ${service.baseUrl}${path} is no event stream`, { exitCode: EXIT.failed });
}

/** The events of a stream, and undefined for bytes that end no event, such as a comment that keeps the connection open. */
async function* eventsOf({ body }: Response): AsyncGenerator<FollowedEvent | undefined> {
  const decoder = new SseDecoder();
  try {
    for await (const chunk of body ?? []) {
      yield undefined;
      for (const { data, lastEventId } of decoder.push(chunk)) {
        const event = readEvent(data) ?? readRunEvent(data);
        if (event !== undefined) yield { id: lastEventId, event };
      }
    }
  } catch (error) {
    // A broken connection counts as an end without `done`.
    if (error instanceof Failure) throw error;
  }
}

/** Undefined for an event of a newer service. Text that is no JSON would come again with each attempt. */
function readRunEvent(json: string): RunEventMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Failure('the service sent an event that is no JSON', { exitCode: EXIT.failed });
  }
  return runEventMessage.safeParse(value).data;
}
