import { resultHeaders, resultStatus } from '@svc/core/api/fail-status';
import { breakConnection, rawHeaders } from '@svc/core/api/raw-answer';
import { type Ended, outcomeOf } from '@svc/core/execution/outcome';
import { rawParts } from '@svc/core/execution/raw-output';
import { LIMITS } from '@svc/core/plan/limits';
import { Refusal } from '@svc/core/refusal';
import type { Following } from '../follow-execution.ts';

export interface RawAnswerOptions {
  readonly following: Following;
  readonly executionId: string;
  readonly contentType: string;
  /** The status waits for the exit code, or for so much output that it can wait no longer. */
  readonly failStatus: boolean;
  readonly request: Request;
  /** Releases what watches the answer. Called once, when it is complete, broken or never begun. */
  readonly release: () => void;
}

/**
 * The stdout of an execution as the body of its answer (decision 68, raw output).
 *
 * The head waits for the first byte or the end, so an execution without a result has the status of its refusal. An answer that
 * began and cannot be completed breaks its connection: half a file must not look like a whole one. Undefined: the reading was
 * stopped before the answer began.
 */
export async function rawAnswer(options: RawAnswerOptions): Promise<Response | undefined> {
  const { following, executionId, contentType, failStatus, release } = options;
  const source = rawStdout(following);
  const buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  const bufferBytes = failStatus ? LIMITS.bufferedOutputBytes : 1;
  let isStreaming = false;
  try {
    for (;;) {
      const { value: next } = await source.next();
      if (next === undefined || next.kind === 'broken') return undefined;
      if (next.kind === 'ended') return wholeAnswer(options, buffered, next.ended);
      buffered.push(next.bytes);
      bufferedBytes += next.bytes.length;
      if (bufferedBytes >= bufferBytes) break;
    }
    isStreaming = true;
    const headers = rawHeaders(contentType, executionId);
    return new Response(streamed(options, buffered, source), { headers });
  } finally {
    if (!isStreaming) release();
  }
}

function wholeAnswer(
  { executionId, contentType, failStatus }: RawAnswerOptions,
  buffered: readonly Uint8Array[],
  ended: Ended,
): Response {
  const outcome = outcomeOf(ended);
  if (outcome.kind === 'failure') {
    const { code, message, details } = outcome.refusal;
    throw new Refusal(code, message, { ...details, execution_id: executionId });
  }
  return new Response(Buffer.concat(buffered), {
    status: resultStatus(outcome.exitCode, failStatus),
    headers: {
      ...rawHeaders(contentType, executionId),
      ...resultHeaders(outcome.exitCode, failStatus),
    },
  });
}

function streamed(
  { failStatus, request, release, following }: RawAnswerOptions,
  buffered: readonly Uint8Array[],
  source: AsyncGenerator<RawNext>,
): ReadableStream {
  const end = () => {
    following.stop();
    release();
  };
  const body: Bun.DirectUnderlyingSource = {
    type: 'direct',
    async pull(controller) {
      try {
        for (const bytes of buffered) await written(controller, bytes);
        for await (const next of source) {
          if (request.signal.aborted) return;
          if (next.kind === 'bytes') await written(controller, next.bytes);
          else if (isComplete(next, failStatus)) await controller.end();
          else await breakConnection();
        }
      } finally {
        end();
      }
    },
    cancel: end,
  };
  // The DOM types override Bun's, and they lack direct streams.
  return new ReadableStream(body as unknown as UnderlyingSource);
}

function isComplete(next: Exclude<RawNext, { kind: 'bytes' }>, failStatus: boolean): boolean {
  if (next.kind === 'broken') return false;
  const outcome = outcomeOf(next.ended);
  return outcome.kind === 'result' && (outcome.exitCode === 0 || !failStatus);
}

async function written(controller: ReadableStreamDirectController, bytes: Uint8Array): Promise<void> {
  const taken = controller.write(bytes);
  void controller.flush();
  if (taken instanceof Promise) await taken;
}

type RawNext =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'ended'; readonly ended: Ended }
  /** The reading was stopped, or bytes are missing. */
  | { readonly kind: 'broken' };

/** The bytes of stdout, then the end. A chunk is released when its reader asks for the next. */
async function* rawStdout(following: Following): AsyncGenerator<RawNext> {
  for await (const next of following) {
    if (next.kind === 'dropped') return yield { kind: 'broken' };
    if (next.kind === 'ended') return yield next;
    for (const { sse, letGo } of next.chunks) {
      for (const part of rawParts(sse)) {
        if (part.kind === 'gap') return yield { kind: 'broken' };
        if (part.kind === 'stdout') yield { kind: 'bytes', bytes: part.bytes };
      }
      letGo?.();
    }
  }
  yield { kind: 'broken' };
}
