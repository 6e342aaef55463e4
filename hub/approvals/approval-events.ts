import type { AlertEvent } from '@svc/core/alert/event';
import { alertsForExecution } from '@svc/core/alert/execution-alerts';
import { approvalAlert, timeText } from '@svc/core/alert/make-event';
import type { Approval, ApprovalClosing } from '@svc/core/approval/approval';
import { commandText, type RecordedValues, shownCommand } from '@svc/core/approval/shown-command';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { visibleText } from '@svc/core/text/visible-text';
import type { LinkTokens } from '../accounts/link-token.ts';
import type { Execution } from '../executions/execution-ports.ts';
import type { Random, Vault } from '../platform/world.ts';
import type { RetainedEnd } from './approval-ports.ts';
import { type PreconditionDeps, staleCaller } from './preconditions.ts';

export type AlertEventDeps = { readonly random: Random; readonly vault: Vault } & {
  readonly linkTokens: LinkTokens;
  readonly settings: { readonly hubUrl: string };
};

/** The pending call that an alert is about. */
export interface PendingCallFacts {
  readonly approval: Approval;
  readonly endpoint: Pick<Endpoint, 'command' | 'args'> | undefined;
  readonly values: RecordedValues;
  /** Receives the decision, whatever the alert rules say. */
  readonly callbackUrl: string | undefined;
}

/** The page on which a person decides; its link is computed, not stored (decision 34, links that act). */
export function approveUrl(
  { settings, linkTokens }: Pick<AlertEventDeps, 'settings' | 'linkTokens'>,
  { id, generation }: Pick<Approval, 'id' | 'generation'>,
): string {
  return `${settings.hubUrl}/approve/${linkTokens.form('approve', id, generation)}`;
}

/** The alert that asks for a decision. Its link is sealed until the alert is delivered. */
export function pendingEvent(deps: AlertEventDeps, call: PendingCallFacts): AlertEvent {
  const { approval } = call;
  const base = { id: deps.random.uuid(), workspaceId: approval.workspaceId, atMs: approval.createdAtMs };
  const owner = { workspaceId: approval.workspaceId, kind: 'alert_link', id: base.id } as const;
  const sealedLink = deps.vault.seal(approveUrl(deps, approval), owner);
  return approvalAlert(base, 'approval.pending', dataOf(call), { sealedLink });
}

/** The alert that an approval has closed. */
export function closedEvent(
  { random }: Pick<AlertEventDeps, 'random'>,
  call: PendingCallFacts,
  { state, atMs, by, comment }: ApprovalClosing,
): AlertEvent {
  const { approval, callbackUrl } = call;
  const base = { id: random.uuid(), workspaceId: approval.workspaceId, atMs };
  const data = dataOf(call);
  if (state === 'expired') return approvalAlert(base, 'approval.expired', data, { callbackUrl });
  const decision = {
    decision: state,
    decided_by: visibleText(by.name),
    comment: comment === undefined ? null : visibleText(comment),
  };
  return approvalAlert(base, 'approval.decided', { ...data, ...decision }, { callbackUrl });
}

/**
 * The end of a call that never ran, for the `callback_url` of the call; none where the call was approved (decision 67, callbacks of
 * calls).
 */
export async function endedEvents(
  deps: Omit<PreconditionDeps, 'endpoints'> & Pick<AlertEventDeps, 'random'>,
  execution: Execution,
  end: RetainedEnd,
  endedAtMs: number,
): Promise<AlertEvent[]> {
  const { callbackUrl } = execution;
  if (callbackUrl === undefined || end.state === 'queued') return [];
  if ((await staleCaller(deps, execution, endedAtMs)) !== undefined) return [];
  const ended = { ...end, exitCode: undefined, durationMs: undefined, endedAtMs };
  return alertsForExecution(execution, ended, { callbackUrls: [callbackUrl] }, () => deps.random.uuid());
}

function dataOf({ approval, endpoint, values }: PendingCallFacts) {
  return {
    approval_id: approval.id,
    execution_id: approval.executionId,
    endpoint: approval.slug,
    command: endpoint === undefined ? '' : commandText(shownCommand(endpoint, values)),
    requested_by: visibleText(approval.requestedBy),
    expires_at: timeText(approval.expiresAtMs),
  };
}
