import { resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { breakConnection, rawHeaders } from '@svc/core/api/raw-answer';
import { rawParts } from '@svc/core/execution/raw-output';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import type { OutputSink } from '../../runner/runner.ts';
import { type Call, whenCallerLeaves } from '../call/call.ts';
import { callOutcome, type ServedOutcome } from './outcome.ts';

/**
 * Answers with the stdout of the command (decision 68, raw output).
 *
 * The head waits for the first byte or the end; with an error status it waits for the end, or for so much output that it can wait
 * no longer. An answer that began and cannot be completed breaks its connection.
 */
export async function answerRaw(call: Call, contentType: string, failStatus: boolean): Promise<Response> {
  const sink = new RawSink(failStatus ? LIMITS.bufferedOutputBytes : 1);
  const running = call.start('events', sink);
  whenCallerLeaves(call.request, () => {
    sink.leave();
    if (call.endpoint.onDisconnect === 'cancel') running.cancel();
  });
  const outcome = running.ended.then((ending) => callOutcome(ending, call.endpoint.timeoutSec));
  const first = await Promise.race([outcome, sink.full]);
  const headers = rawHeaders(contentType, call.executionId);
  if (first === undefined) return new Response(streamed(sink, outcome, failStatus), { headers });
  if (first.kind === 'failure') {
    const { code, message, details } = first.refusal;
    throw new Refusal(code, message, { ...details, execution_id: call.executionId });
  }
  return new Response(sink.buffered(), {
    status: resultStatus(first.exitCode, failStatus),
    headers: { ...headers, ...resultHeaders(first.exitCode, failStatus) },
  });
}

function streamed(sink: RawSink, outcome: Promise<ServedOutcome>, failStatus: boolean): ReadableStream {
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    async pull(controller) {
      await sink.open(controller);
      const ended = await outcome;
      if (ended.kind === 'failure' || (failStatus && ended.exitCode !== 0)) return await breakConnection();
      await controller.end();
    },
    cancel: () => sink.leave(),
  };
  // The DOM types win over Bun's, and they lack direct streams.
  return new ReadableStream(source as unknown as UnderlyingSource);
}

/** Takes the events of a command with raw output: holds the first bytes of stdout, and then writes to the body of the answer. */
class RawSink implements OutputSink {
  /** Resolves when it holds enough for the answer to begin. */
  readonly full: Promise<undefined>;
  readonly #bufferBytes: number;
  readonly #fill: () => void;
  readonly #opened = Promise.withResolvers<void>();
  #buffered: Uint8Array<ArrayBuffer>[] = [];
  #bufferedBytes = 0;
  #controller: ReadableStreamDirectController | undefined;
  #hasLeft = false;

  constructor(bufferBytes: number) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.full = promise;
    this.#fill = () => resolve(undefined);
    this.#bufferBytes = bufferBytes;
  }

  write(events: Uint8Array): void | Promise<void> {
    const parts = this.#hasLeft ? [] : rawParts(events);
    const pieces = parts.flatMap((part) => (part.kind === 'stdout' ? [part.bytes] : []));
    if (pieces.length === 0) return undefined;
    if (this.#controller !== undefined) return this.#send(pieces);
    this.#buffered.push(...pieces);
    this.#bufferedBytes += pieces.reduce((sum, { length }) => sum + length, 0);
    if (this.#bufferedBytes < this.#bufferBytes) return undefined;
    this.#fill();
    return this.#opened.promise;
  }

  buffered(): Uint8Array<ArrayBuffer> {
    return Buffer.concat(this.#buffered);
  }

  async open(controller: ReadableStreamDirectController): Promise<void> {
    this.#controller = controller;
    await this.#send(this.#buffered);
    this.#buffered = [];
    this.#opened.resolve();
  }

  /** The caller has left: further output is dropped (decision 21, callers that leave, and slow readers). */
  leave(): void {
    this.#hasLeft = true;
    this.#buffered = [];
    this.#fill();
    this.#opened.resolve();
  }

  async #send(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      if (this.#hasLeft) return;
      const written = this.#controller?.write(piece);
      void this.#controller?.flush();
      if (written instanceof Promise) await written;
    }
  }
}
