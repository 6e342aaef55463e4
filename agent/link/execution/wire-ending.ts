import type { WireEnding } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Ending, Transformed } from '../../runner/runner.ts';

/** The ending of a command as a frame. */
export function wireEnding(ending: Ending): WireEnding {
  switch (ending.kind) {
    case 'exited': {
      const { exitCode, durationMs, transformed } = ending;
      const exited = { kind: 'exited', exit_code: exitCode, duration_ms: durationMs } as const;
      return transformed === undefined ? exited : { ...exited, transformed: wireTransformed(transformed) };
    }
    case 'timed_out':
      return { kind: ending.kind, duration_ms: ending.durationMs };
    case 'cancelled': {
      const cancelled = { kind: ending.kind, duration_ms: ending.durationMs };
      const { cut } = ending;
      return cut === undefined
        ? cancelled
        : { ...cancelled, cut: { code: cut.code, message: clipped(cut.message) } };
    }
    case 'lost':
      return { kind: 'lost', message: clipped(ending.message) };
    case 'not_started':
      return { kind: 'not_started', reason: ending.reason, message: clipped(ending.message) };
  }
}

/** The JSON of a result can be too long for this frame, so it is sent before, as output is. */
function wireTransformed(transformed: Transformed) {
  switch (transformed.kind) {
    case 'data':
      return { kind: 'data' } as const;
    case 'failed':
      return { kind: 'failed', reason: clipped(transformed.reason) } as const;
    case 'skipped': {
      const { reason } = transformed;
      return reason === undefined
        ? ({ kind: 'skipped' } as const)
        : ({ kind: 'skipped', reason: clipped(reason) } as const);
    }
  }
}

function clipped(message: string): string {
  return message.length > LINK_LIMITS.messageChars
    ? `${message.slice(0, LINK_LIMITS.messageChars - 1)}…`
    : message;
}
