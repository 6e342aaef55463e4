import type { AlertEvent } from '@svc/core/alert/event';
import {
  type AlertReceivers,
  alertsForExecution,
  type EndedExecution,
  type RecordedEnd,
} from '@svc/core/alert/execution-alerts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Random } from '../platform/world.ts';

/** An ended execution, and who called it. */
export interface CalledExecution extends EndedExecution {
  readonly endpointId: string;
  readonly callerKind: 'api_key' | 'member' | 'anonymous';
  readonly callerId: string | undefined;
}

/** The events about the end of an execution, stored in the same transaction as the end. */
export type AlertsOf = (execution: CalledExecution, ended: RecordedEnd) => Promise<readonly AlertEvent[]>;

export interface ExecutionAlertsDeps {
  readonly random: Random;
  readonly lookups: Pick<CallLookups, 'endpoint' | 'alertEvents'>;
  /** Whether the caller of an execution may still read it; a revoked key gets no callback. */
  readonly callerMayRead: (execution: CalledExecution) => Promise<boolean>;
  /** Whether the execution of the endpoint that ended before this one had failed. */
  readonly failedBefore: (execution: Pick<EndedExecution, 'id' | 'workspaceId' | 'slug'>) => Promise<boolean>;
}

/**
 * The alerts about an end. Callbacks go to the current `callback_url` of the endpoint (decision 39, alerts) and to that of the call
 * (decision 39, alerts).
 */
export function executionAlerts(deps: ExecutionAlertsDeps): AlertsOf {
  const { lookups, random } = deps;
  return async (execution, ended) => {
    const registered = await lookups.endpoint(execution.workspaceId, execution.slug);
    // Another endpoint may have the slug by now.
    const isOwn = registered?.id === execution.endpointId;
    const ofEndpoint = isOwn ? registered.endpoint.callbackUrl : undefined;
    const ofCall = await callbackOf(deps, execution);
    const callbackUrls = [...new Set([ofEndpoint, ofCall])].filter((url) => url !== undefined);
    const wanted = ended.state === 'succeeded' ? await wantedOfSuccess(deps, execution) : [];
    return alertsForExecution(execution, ended, { callbackUrls, wanted }, () => random.uuid());
  };
}

/** The `callback_url` of the call; undefined where there is none, or its caller may not read the execution any more. */
export async function callbackOf(
  { callerMayRead }: Pick<ExecutionAlertsDeps, 'callerMayRead'>,
  execution: CalledExecution,
): Promise<string | undefined> {
  if (execution.callbackUrl === undefined) return undefined;
  return (await callerMayRead(execution)) ? execution.callbackUrl : undefined;
}

async function wantedOfSuccess(
  { lookups, failedBefore }: ExecutionAlertsDeps,
  execution: EndedExecution,
): Promise<NonNullable<AlertReceivers['wanted']>> {
  const events = await lookups.alertEvents(execution.workspaceId);
  const isRecovery = events?.has('execution.recovered') === true && (await failedBefore(execution));
  return [
    ...(events?.has('execution.succeeded') ? (['execution.succeeded'] as const) : []),
    ...(isRecovery ? (['execution.recovered'] as const) : []),
  ];
}
