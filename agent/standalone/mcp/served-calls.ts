import { refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import type { Ended } from '@svc/core/execution/outcome';
import { endedResult, runningResult, type ToolResult } from '@svc/core/mcp/call-result';
import { ProgressReports, type SendProgress } from '@svc/core/mcp/progress';
import { TailOutput } from '@svc/core/mcp/tail';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import type { OutputSink } from '../../runner/runner.ts';
import { BufferedOutput } from '../answer/buffered-output.ts';
import { callOutcome, type ServedOutcome } from '../answer/outcome.ts';
import { type CallContext, prepareCall } from '../call/call.ts';
import type { ServedEndpoint } from '../served-endpoint.ts';

/** The calls of agents that are kept, running ones included. Each keeps up to 1 MiB of output. */
const MAX_CALLS = 64;

/** A call of an agent, while it runs and for a while after its end. */
export interface ServedCall {
  readonly id: string;
  readonly slug: string;
  readonly output: CallOutput;
  /** Undefined while the command runs. */
  readonly result: ToolResult | undefined;
  /** Settles at the end and never rejects. */
  readonly ended: Promise<unknown>;
  cancel(): void;
}

/** The calls of agents at this server. They live in its memory, so the oldest are dropped and none survives a restart. */
export class ServedCalls {
  readonly #context: CallContext;
  readonly #calls = new Map<string, ServedCall>();

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Undefined: there is no such call, or it was dropped. The id is the only key to a call. */
  find(id: string): ServedCall | undefined {
    return this.#calls.get(id);
  }

  /** Starts a command. Refuses invalid values, secret ones, and with `concurrency_limited` more calls than are kept. */
  start(served: ServedEndpoint, args: Readonly<Record<string, unknown>>, request: Request): ServedCall {
    const { endpoint } = served;
    const values = collectValues({ query: [], body: args }, endpoint.args);
    const secret = endpoint.args.find(({ name, secret: isSecret }) => isSecret && values.has(name));
    if (secret !== undefined) {
      const message = 'it is secret, and an AI agent gives no secret values';
      throw refuseArguments([{ argument: secret.name, message }]);
    }
    this.#makeRoom();
    const prepared = prepareCall(served, { values, input: undefined }, request, this.#context);
    const output = new CallOutput();
    const running = prepared.start('raw', output);
    let result: ToolResult | undefined;
    const end = (outcome: ServedOutcome) => {
      output.end();
      result = endedResult(prepared.executionId, endOf(outcome), output.tail.tail());
    };
    const ended = running.ended.then(
      (ending) => end(callOutcome(ending, endpoint.timeoutSec)),
      (error: unknown) => {
        const id = this.#context.reportBug(error);
        end({ kind: 'failure', refusal: refuse('lost', `internal error ${id}`) });
      },
    );
    const call: ServedCall = {
      ...{ id: prepared.executionId, slug: endpoint.slug, output, ended },
      get result() {
        return result;
      },
      cancel: () => running.cancel(),
    };
    this.#calls.set(call.id, call);
    return call;
  }

  #makeRoom(): void {
    if (this.#calls.size < MAX_CALLS) return;
    const oldest = this.#calls.values().find(({ result }) => result !== undefined);
    if (oldest === undefined)
      throw refuse('concurrency_limited', `${MAX_CALLS} calls of AI agents run now`, { limit: MAX_CALLS });
    this.#calls.delete(oldest.id);
  }
}

/** The output of a call: its beginning to read, and its end for results and progress. */
class CallOutput implements OutputSink {
  readonly tail = new TailOutput();
  readonly #kept = new BufferedOutput(LIMITS.bufferedOutputBytes);
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #listeners = new Set<() => void>();

  write(chunk: Uint8Array): void {
    this.#kept.write(chunk);
    this.tail.add(this.#decoder.decode(chunk, { stream: true }));
    for (const onOutput of this.#listeners) onOutput();
  }

  end(): void {
    this.tail.add(this.#decoder.decode());
  }

  /** The kept beginning as text, with a note if more was printed. */
  text(): string {
    return this.#kept.isTruncated ? `${this.#kept.text()}\n… the rest was not kept` : this.#kept.text();
  }

  /** Calls `onOutput` after each piece of output. The returned function ends that. */
  listen(onOutput: () => void): () => void {
    this.#listeners.add(onOutput);
    return () => this.#listeners.delete(onOutput);
  }
}

const NOTHING = { reason: undefined, error: undefined, errorCode: undefined, exitCode: undefined } as const;

function endOf(outcome: ServedOutcome): Ended {
  if (outcome.kind === 'failure') {
    const { code, message } = outcome.refusal;
    const failure = { error: message, errorCode: code, durationMs: undefined, data: undefined };
    return { ...NOTHING, ...failure, state: 'failed' };
  }
  const { exitCode, durationMs, data } = outcome;
  return { ...NOTHING, exitCode, durationMs, data, state: exitCode === 0 ? 'succeeded' : 'failed' };
}

/** The longest delay of `setTimeout`. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const CLOCK = {
  nowMs: () => performance.now(),
  at(atMs: number, action: () => unknown) {
    const timer = setTimeout(action, Math.min(MAX_TIMER_MS, Math.max(0, atMs - performance.now())));
    return () => clearTimeout(timer);
  },
};

interface WaitOptions {
  /** Undefined: the client wants no progress. */
  readonly sendProgress: SendProgress | undefined;
  /** Aborts when the client gives up or its connection breaks. */
  readonly left: AbortSignal;
  /** Undefined: until the end. */
  readonly longestMs: number | undefined;
}

/** Waits for the end of a call and reports progress. A call that takes longer goes on. */
export async function awaitCall(
  call: ServedCall,
  { sendProgress, left, longestMs = MAX_TIMER_MS }: WaitOptions,
): Promise<ToolResult> {
  const { output } = call;
  const reports = sendProgress && new ProgressReports(CLOCK, output.tail, sendProgress);
  const unlisten = output.listen(() => reports?.changed());
  const { promise: isOver, resolve } = Promise.withResolvers<unknown>();
  const uncap = CLOCK.at(CLOCK.nowMs() + longestMs, () => resolve(undefined));
  if (left.aborted) resolve(undefined);
  left.addEventListener('abort', resolve, { once: true });
  try {
    await Promise.race([call.ended, isOver]);
  } finally {
    uncap();
    unlisten();
    reports?.end();
    left.removeEventListener('abort', resolve);
  }
  return call.result ?? runningResult(call.id, output.tail.lastLine);
}
