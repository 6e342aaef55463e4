import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import type { RefusalCode } from '@svc/core/refusal';

/** The final answer that a caller got for an execution. */
export interface AnsweredResult {
  readonly exitCode: number;
  readonly output: string;
}

export interface AnsweredDecision {
  readonly approvalId: string;
  readonly decision: 'approve' | 'deny';
  readonly status: number;
}

/** Everything that callers have seen; the ledger is compared with it. */
export class Evidence {
  /** Executions whose id a caller saw. */
  readonly acknowledged = new Set<string>();
  readonly acknowledgedRuns = new Set<string>();
  readonly results = new Map<string, AnsweredResult>();
  /** By idempotency key: the executions, or runs, that its answers named. */
  readonly keys = new Map<string, Set<string>>();
  readonly decisions: AnsweredDecision[] = [];
  /** Answers that no caller should ever get. */
  readonly dishonest: string[] = [];
  /** How often each kind of answer was given. */
  readonly answers = new Map<string, number>();

  count(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }

  underKey(key: string, id: string): void {
    const ids = this.keys.get(key) ?? new Set();
    this.keys.set(key, ids.add(id));
  }
}

/** The refusals that a correct caller may get while processes die. */
const HONEST: ReadonlySet<string> = new Set<RefusalCode>([
  'agent_offline',
  'lost',
  'unavailable',
  'cancelled',
  'idempotency_in_progress',
  'approval_closed',
]);

/** Undefined for an answer that may be given, else what is wrong with it. */
export function dishonestyOf(status: number, body: unknown): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const { code, error } = (body ?? {}) as { code?: unknown; error?: unknown };
  const isHonest =
    typeof code === 'string' &&
    HONEST.has(code) &&
    REFUSAL_STATUS[code as RefusalCode] === status &&
    typeof error === 'string';
  return isHonest ? undefined : `${status} ${JSON.stringify(body)}`;
}
