import { END_ID } from '@svc/core/execution/event-ids';
import type { Ended } from '@svc/core/execution/outcome';
import { hasRunEnded, isDone, type NodeRecord, type RunHead } from '@svc/core/pipeline/run/state';
import type { StepPosition } from '@svc/core/pipeline/stream/run-position';
import type { ExecutionLedger, OutputChunk, StepExecution } from '../../../executions/execution-ports.ts';
import { type Followed, type Following, followExecution } from '../../../executions/follow-execution.ts';
import type { ChangeWaiters } from '../../../executions/live/change-waiters.ts';
import type { RunningExecutions } from '../../../executions/live/running-executions.ts';
import type { RemoteHubs } from '../../../executions/remote/remote-hubs.ts';
import { followRun, type RunLiveEvent } from '../follow-run.ts';
import type { PipelineRuns } from '../store/run-store.ts';

export interface RunReaderDeps {
  readonly changes: ChangeWaiters;
  readonly remoteHubs: RemoteHubs | undefined;
  readonly executions: RunningExecutions;
  readonly hubId: string;
  readonly ledger: ExecutionLedger;
  readonly runs: PipelineRuns;
}

/** The number of steps read at a time; other concurrent steps follow later. It bounds memory and the size of event ids. */
const CONCURRENCY = 64;

/** A node's current state, with the execution of its current attempt. */
export interface NodeEvent {
  readonly record: NodeRecord;
  readonly executionId: string | undefined;
}

/** An item for the reader of a run. */
export type RunFollowed =
  | { readonly kind: 'output'; readonly step: StepExecution['step']; readonly chunks: readonly OutputChunk[] }
  /** All output of the step was delivered. */
  | { readonly kind: 'step_ended'; readonly step: StepExecution['step']; readonly ended: Ended }
  /** Changed nodes. Their earlier output was delivered before. */
  | { readonly kind: 'nodes'; readonly head: RunHead; readonly nodes: readonly NodeEvent[] }
  | { readonly kind: 'ended'; readonly head: RunHead; readonly stoppedBy: NodeRecord | undefined }
  /** The follower was stopped, or was too slow. */
  | { readonly kind: 'dropped' };

type ReaderDeps = RunReaderDeps;

/** An attempt at a step whose output is being read. */
interface Source {
  readonly execution: StepExecution;
  readonly following: Following;
  readonly iterator: AsyncIterator<Followed>;
}

/** The rest to read, after this chunk. */
interface Waiting {
  readonly execution: StepExecution;
  readonly afterSeq: number;
}

type Arrival =
  | { readonly kind: 'live_event'; readonly result: IteratorResult<RunLiveEvent> }
  | { readonly kind: 'step'; readonly source: Source; readonly result: IteratorResult<Followed> };

/**
 * The output of all steps of a run in one sequence: the stored output, then the live output, without gap or duplicate
 * (decision 20, asynchronous calls and records). Concurrent steps interleave; a later step in the graph follows its predecessors.
 */
export class RunReader implements AsyncIterable<RunFollowed> {
  readonly #deps: ReaderDeps;
  readonly #from: (step: string) => StepPosition | undefined;
  readonly #following;
  readonly #runEvents: AsyncIterator<RunLiveEvent>;
  readonly #arrivals = new Arrivals<Arrival>();
  readonly #sources = new Set<Source>();
  #waiting: Waiting[] = [];
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #latest = new Map<string, StepExecution>();
  /** Nodes whose current state the reader does not have yet. */
  readonly #pendingNodes = new Set<string>();
  #head: RunHead | undefined;
  #lastState: RunHead['state'] | undefined;
  #isOver = false;
  #isStopped = false;

  /** @param from the part of each step that was read already */
  constructor(deps: ReaderDeps, runId: string, from: (step: string) => StepPosition | undefined) {
    this.#deps = deps;
    this.#from = from;
    this.#following = followRun(deps, runId);
    this.#runEvents = this.#following[Symbol.asyncIterator]();
  }

  /** Called when the reader has disconnected. */
  stop(): void {
    this.#isStopped = true;
    this.#following.stop();
    for (const { following } of this.#sources) following.stop();
    // Ends a pending wait.
    this.#arrivals.push({ kind: 'live_event', result: { done: true, value: undefined } });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunFollowed> {
    this.#requestRunEvent();
    while (!this.#isStopped) {
      const given = this.#take(await this.#arrivals.next());
      if (given?.kind === 'dropped') break;
      if (given !== undefined) yield given;
      this.#admit();
      if (this.#isStopped) break;
      const runEvents = this.#takeRunEvent();
      if (runEvents !== undefined) yield runEvents;
      if (this.#isOver && this.#isAllRead()) {
        const head = this.#head;
        if (head === undefined || !hasRunEnded(head)) break;
        yield { kind: 'ended', head, stoppedBy: this.#nodes.get(head.stoppedBy ?? '') };
        return;
      }
    }
    this.stop();
    yield { kind: 'dropped' };
  }

  #take(arrival: Arrival): RunFollowed | undefined {
    switch (arrival.kind) {
      case 'live_event':
        if (arrival.result.done) this.#isOver = true;
        else this.#onRunEvent(arrival.result.value);
        return undefined;
      case 'step':
        return this.#takeStep(arrival);
    }
  }

  #onRunEvent({ head, nodes, begun }: RunLiveEvent): void {
    this.#head = head;
    for (const record of nodes) {
      this.#nodes.set(record.id, record);
      this.#pendingNodes.add(record.id);
    }
    const inOrder = [...begun].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    for (const execution of inOrder) {
      this.#latest.set(execution.step.id, execution);
      const afterSeq = this.#startOf(execution);
      if (afterSeq !== undefined) this.#waiting.push({ execution, afterSeq });
    }
    this.#requestRunEvent();
  }

  /** Undefined: everything was read. */
  #startOf({ step: { id, attempt } }: StepExecution): number | undefined {
    const from = this.#from(id);
    if (from === undefined || from.attempt < attempt) return 0;
    if (from.attempt > attempt || from.at === END_ID) return undefined;
    return from.at.seq - 1;
  }

  #takeStep({ source, result }: Extract<Arrival, { kind: 'step' }>): RunFollowed | undefined {
    if (result.done) {
      this.#sources.delete(source);
      return undefined;
    }
    const { step } = source.execution;
    const followed = result.value;
    switch (followed.kind) {
      case 'output':
        this.#askStep(source);
        return { kind: 'output', step, chunks: followed.chunks };
      case 'ended':
        this.#sources.delete(source);
        return { kind: 'step_ended', step, ended: followed.ended };
      case 'dropped':
        return followed;
    }
  }

  /** Begins to read the steps whose turn it is: started steps only, and an ended step before its successors. */
  #admit(): void {
    for (const waiting of [...this.#waiting]) {
      if (this.#sources.size >= CONCURRENCY || this.#isBehind()) return;
      if (this.#isToCome(waiting.execution)) continue;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      this.#read(waiting);
    }
  }

  #read({ execution, afterSeq }: Waiting): void {
    const following = followExecution(this.#deps, execution, afterSeq);
    const iterator = following[Symbol.asyncIterator]();
    const source = { execution, following, iterator };
    this.#sources.add(source);
    this.#askStep(source);
  }

  #isAllRead(): boolean {
    return this.#sources.size === 0 && this.#waiting.length === 0;
  }

  /** Whether an ended step is still being read; its successors wait. */
  #isBehind(): boolean {
    for (const { execution } of this.#sources) if (this.#hasEnded(execution)) return true;
    return false;
  }

  #isToCome(execution: StepExecution): boolean {
    const hasNotBegun = execution.state === 'queued' || execution.state === 'pending_approval';
    const isRunning = this.#nodes.get(execution.step.id)?.state === 'running';
    return hasNotBegun && !isRunning && !this.#hasEnded(execution);
  }

  #hasEnded({ step: { id, attempt } }: StepExecution): boolean {
    const record = this.#nodes.get(id);
    if (record === undefined) return false;
    return isDone(record) || record.attempt > attempt || record.retryAtMs !== undefined;
  }

  /** The changed nodes to deliver once all ended steps were read. */
  #takeRunEvent(): RunFollowed | undefined {
    const head = this.#head;
    if (head === undefined || (this.#pendingNodes.size === 0 && head.state === this.#lastState))
      return undefined;
    if (this.#isBehind() || this.#waiting.some(({ execution }) => this.#hasEnded(execution)))
      return undefined;
    const records = [...this.#pendingNodes]
      .map((id) => this.#nodes.get(id))
      .filter((record) => record !== undefined);
    this.#pendingNodes.clear();
    this.#lastState = head.state;
    return {
      kind: 'nodes',
      head,
      nodes: records.map((record) => ({ record, executionId: this.#idOf(record) })),
    };
  }

  #idOf({ id, attempt }: NodeRecord): string | undefined {
    const execution = this.#latest.get(id);
    return execution?.step.attempt === attempt ? execution.id : undefined;
  }

  #requestRunEvent(): void {
    this.#arrivals.pushWhen(
      this.#runEvents.next().then((result): Arrival => ({ kind: 'live_event', result })),
    );
  }

  #askStep(source: Source): void {
    const next = source.iterator.next();
    this.#arrivals.pushWhen(next.then((result): Arrival => ({ kind: 'step', source, result })));
  }
}

/** Merges values from several sources in order of arrival, for one consumer. */
class Arrivals<Item> {
  readonly #items: (() => Item)[] = [];
  #wake: (() => void) | undefined;

  push(item: Item): void {
    this.#add(() => item);
  }

  /** Adds the promise's value, or its rejection, which `next` then throws. */
  pushWhen(coming: Promise<Item>): void {
    coming.then(
      (item) => this.push(item),
      (error: unknown) =>
        this.#add(() => {
          throw error;
        }),
    );
  }

  async next(): Promise<Item> {
    while (this.#items.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return (this.#items.shift() as () => Item)();
  }

  #add(item: () => Item): void {
    this.#items.push(item);
    this.#wake?.();
  }
}
