import type { AlertEvent } from '@svc/core/alert/event';
import {
  alertsForExecution,
  type EndedExecution,
  type Receivers,
  type RecordedEnd,
} from '@svc/core/alert/execution-alerts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Random } from '../platform/world.ts';

/** The events about the end of an execution, stored in the same transaction as the end. */
export type AlertsOf = (
  execution: EndedExecution & { readonly endpointId: string },
  ended: RecordedEnd,
) => Promise<readonly AlertEvent[]>;

export interface ExecutionAlertsDeps {
  readonly random: Random;
  readonly lookups: Pick<CallLookups, 'endpoint' | 'alertEvents'>;
  /** Whether the execution of the endpoint that ended before this one had failed. */
  readonly failedBefore: (execution: Pick<EndedExecution, 'id' | 'workspaceId' | 'slug'>) => Promise<boolean>;
}

/** The alerts about an end. The callback goes to the current `callback_url` of the endpoint (decision 39, alerts). */
export function executionAlerts(deps: ExecutionAlertsDeps): AlertsOf {
  const { lookups, random } = deps;
  return async (execution, ended) => {
    const registered = await lookups.endpoint(execution.workspaceId, execution.slug);
    // Another endpoint may have the slug by now.
    const isOwn = registered?.id === execution.endpointId;
    const callbackUrl = isOwn ? registered.endpoint.callbackUrl : undefined;
    const wanted = ended.state === 'succeeded' ? await wantedOfSuccess(deps, execution) : [];
    return alertsForExecution(execution, ended, { callbackUrl, wanted }, () => random.uuid());
  };
}

async function wantedOfSuccess(
  { lookups, failedBefore }: ExecutionAlertsDeps,
  execution: EndedExecution,
): Promise<NonNullable<Receivers['wanted']>> {
  const events = await lookups.alertEvents(execution.workspaceId);
  const isRecovery = events?.has('execution.recovered') === true && (await failedBefore(execution));
  return [
    ...(events?.has('execution.succeeded') ? (['execution.succeeded'] as const) : []),
    ...(isRecovery ? (['execution.recovered'] as const) : []),
  ];
}
