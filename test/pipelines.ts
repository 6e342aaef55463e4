import { readEvent } from '@svc/core/execution/event';
import { SseDecoder, type SseMessage } from '@svc/core/execution/sse-decoder';
import type { HubWorld } from './hub-world.ts';

/** Makes a pipeline of the hub's own workspace, as `POST /pipelines` takes it; throws what it is refused with. */
export async function makePipeline(world: HubWorld, definition: object): Promise<void> {
  const response = await world.manage('/pipelines', postOf(definition));
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
}

/** A POST with a JSON body. */
export function postOf(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** The ids and JSON of a stream as they come; ends when the stream does. */
export async function* messagesOf(response: Response): AsyncGenerator<SseMessage> {
  const decoder = new SseDecoder();
  for await (const chunk of response.body ?? []) yield* decoder.push(chunk);
}

/** All events of a stream that ends. */
export async function eventsOf(response: Response) {
  const events: unknown[] = [];
  for await (const { data } of messagesOf(response)) events.push(readEvent(data) ?? JSON.parse(data));
  return events;
}

/** The answer of `GET /pipeline-runs/{id}`, as far as tests read it. */
export interface WholeRun {
  readonly run_id: string;
  readonly status: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly exit_code?: number;
  readonly nodes: readonly {
    readonly node: string;
    readonly status: string;
    readonly attempts: readonly {
      readonly execution_id: string;
      readonly status: string;
      readonly approval_id?: string;
    }[];
  }[];
}

export async function showRun(world: HubWorld, runId: string): Promise<WholeRun> {
  const response = await world.manage(`/pipeline-runs/${runId}`);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as WholeRun;
}
