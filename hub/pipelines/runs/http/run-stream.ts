import type { RunEventMessage } from '@svc/core/api/contract/run-event-message';
import { END_ID } from '@svc/core/execution/event-ids';
import { outcomeOf } from '@svc/core/execution/outcome';
import { encodeEvent, encodeId, encodeTransformed } from '@svc/core/execution/sse';
import { stepEvents } from '@svc/core/execution/step-events';
import { runFailureCode, runOutcome } from '@svc/core/pipeline/run/run-outcome';
import type { NodeRecord, RunHead, RunState } from '@svc/core/pipeline/run/state';
import {
  formatRunPosition,
  formatStepPosition,
  type RunPosition,
  type StepPosition,
} from '@svc/core/pipeline/stream/run-position';
import type { StepOf } from '../../../executions/execution-ports.ts';
import { type SseOptions, type SseWriter, sseResponse } from '../../../http/sse-response.ts';
import { time } from '../../../platform/http/json-response.ts';
import type { Clock } from '../../../platform/world.ts';
import type { Pipelines } from '../../store/pipeline-store.ts';
import { type Graphs, readGraph } from '../read-graph.ts';
import type { PipelineRun } from '../run-ports.ts';
import { type NodeEvent, type RunFollowed, RunReader, type RunReaderDeps } from './run-reader.ts';

export interface RunStreamDeps extends RunReaderDeps {
  readonly clock: Clock;
  readonly graphs: Graphs;
  readonly pipelines: Pipelines;
  readonly reportBug: (error: unknown) => string;
}

interface RunStreamOptions extends Omit<SseOptions, 'first' | 'clock' | 'reportBug' | 'subject'> {
  readonly run: Pick<PipelineRun, 'id' | 'createdAtMs' | 'pipelineId' | 'pipelineVersion'>;
  /** Adds positions as event ids to the stream. Absent: only the specified lines. */
  readonly ids?: { readonly prefix: string; readonly first: string | undefined } | undefined;
  /** The position of the reader. */
  readonly after?: RunPosition;
  /** The reader wants the states of nodes, too. */
  readonly withEvents?: boolean;
  /** Adds links to pending approvals. */
  readonly statusUrl: string;
}

/**
 * Streams the events of all steps of a run. Exactly one `done` or one `error` ends the stream (decision 43, calling a pipeline).
 */
export async function runStream(deps: RunStreamDeps, options: RunStreamOptions): Promise<Response> {
  const { clock, reportBug } = deps;
  const { ids, run, after = new Map() } = options;
  const graph = await readGraph(deps, run);
  const numbers = new Map([...(graph?.nodes.keys() ?? [])].map((id, number) => [id, number]));
  const reader = new RunReader(deps, run.id, (step) => after.get(numbers.get(step) ?? -1));
  const first = ids?.first === undefined ? undefined : encodeId(ids.first);
  const writing = new RunWriting(options, numbers);
  return sseResponse(
    { ...options, clock, reportBug, first, subject: { run_id: run.id } },
    {
      stop: () => reader.stop(),
      async produce(writer) {
        for await (const followed of reader) await writing.write(followed, writer);
      },
    },
  );
}

/** Writes the items of a run as events, and tracks the position of the reader. */
class RunWriting {
  readonly #options: RunStreamOptions;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #position: Map<number, StepPosition>;
  #lastState: RunState | undefined;

  constructor(options: RunStreamOptions, numbers: ReadonlyMap<string, number>) {
    this.#options = options;
    this.#numbers = numbers;
    this.#position = new Map(options.after);
  }

  async write(followed: RunFollowed, writer: SseWriter): Promise<void> {
    switch (followed.kind) {
      case 'output':
        for (const { seq, sse } of followed.chunks) await writer.write(this.#output(followed.step, seq, sse));
        return;
      case 'step_ended':
        return await writer.write(this.#stepEnd(followed));
      case 'nodes':
        return await writer.write(this.#eventFrames(followed));
      case 'ended':
        return await writer.write(this.#last(followed));
      case 'dropped':
        return await writer.write(writer.stopped());
    }
  }

  #output({ id, attempt }: StepOf, seq: number, sse: Uint8Array): string {
    const { ids } = this.#options;
    if (ids === undefined) return stepEvents(sse, id);
    const number = this.#numbers.get(id) ?? 0;
    const had = this.#position.get(number);
    const isHalfRead = had?.attempt === attempt && had.at !== END_ID && had.at.seq === seq;
    this.#position.delete(number);
    const others = `id: ${ids.prefix}${formatRunPosition(this.#position)}`;
    // Continue while the sink accepts data.
    this.#position.set(number, { attempt, at: { seq: seq + 1, events: 0 } });
    return stepEvents(sse, id, {
      before: (events) => `${others},${formatStepPosition(number, { attempt, at: { seq, events } })}\n`,
      skip: isHalfRead ? had.at.events : 0,
    });
  }

  #stepEnd({ step, ended }: Extract<RunFollowed, { kind: 'step_ended' }>): string {
    const { ids } = this.#options;
    this.#position.set(this.#numbers.get(step.id) ?? 0, { attempt: step.attempt, at: END_ID });
    const id = ids === undefined ? '' : `id: ${ids.prefix}${formatRunPosition(this.#position)}\n`;
    const outcome = outcomeOf(ended);
    const data = outcome.kind === 'result' ? outcome.data : undefined;
    if (data !== undefined) return id + encodeTransformed(data, step.id);
    // An event with only an id records that the step was read completely.
    return id === '' ? '' : `${id}\n`;
  }

  /** Nodes in the order of the definition, and the run when it has changed. */
  #eventFrames({ head, nodes }: Extract<RunFollowed, { kind: 'nodes' }>): string {
    const numberOf = ({ record }: NodeEvent) => this.#numbers.get(record.id) ?? 0;
    const inOrder = nodes.toSorted((first, second) => numberOf(first) - numberOf(second));
    const { withEvents, statusUrl } = this.#options;
    if (!withEvents) return liveEventComments(inOrder, statusUrl);
    const isSame = head.state === this.#lastState;
    this.#lastState = head.state;
    return liveEventMessages(inOrder, isSame ? undefined : head);
  }

  #last({ head, stoppedBy }: Extract<RunFollowed, { kind: 'ended' }>): string {
    const { ids, run } = this.#options;
    const id = ids === undefined ? '' : `id: ${ids.prefix}${END_ID}\n`;
    const outcome = runOutcome(head, stoppedBy);
    if (outcome.kind === 'failure')
      return (
        id + encodeEvent({ type: 'error', error: outcome.error, code: runFailureCode(head), run_id: run.id })
      );
    const durationMs = Math.max(0, (head.endedAtMs ?? run.createdAtMs) - run.createdAtMs);
    return id + encodeEvent({ type: 'done', exit_code: outcome.exitCode, duration_ms: durationMs });
  }
}

/** The states of nodes, and of the run when given, as events. */
function liveEventMessages(nodes: readonly NodeEvent[], head: RunHead | undefined): string {
  const ofRun = head === undefined ? [] : [runEvent(head)];
  return [...nodes.map(nodeEvent), ...ofRun].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function runEvent({ state, startedAtMs, endedAtMs }: RunHead): RunEventMessage {
  return { type: 'run', state, at: time(endedAtMs ?? (state === 'queued' ? undefined : startedAtMs)) };
}

function nodeEvent({ record, executionId }: NodeEvent): RunEventMessage {
  const { id, state, attempt, error, holds, result, startedAtMs, endedAtMs } = record;
  return {
    type: 'node',
    node: id,
    state,
    attempt,
    execution_id: executionId,
    exit_code: result?.exitCode,
    error,
    holds,
    at: time(endedAtMs ?? startedAtMs),
  };
}

/**
 * The same as SSE comments, for readers that know only the specified events. Programs ignore comments; people
 * can read them.
 */
function liveEventComments(nodes: readonly NodeEvent[], statusUrl: string): string {
  return nodes
    .flatMap(({ record }) => comment(record, statusUrl))
    .map((text) => `: ${text}\n\n`)
    .join('');
}

function comment({ id, state, error, result }: NodeRecord, statusUrl: string): string[] {
  if (state === 'waiting_approval') return [`step "${id}" waits for approval: ${statusUrl}`];
  if (state !== 'failed') return [];
  const reason = error ?? `exit code ${result?.exitCode}`;
  return [`step "${id}" failed: ${reason.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')}`];
}
