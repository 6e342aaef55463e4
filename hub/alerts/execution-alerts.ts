import type { AlertEvent } from '@svc/core/alert/event';
import { alertsForExecution, type EndedExecution, type RecordedEnd } from '@svc/core/alert/execution-alerts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Random } from '../platform/world.ts';

/** The events about the end of an execution, stored in the same transaction as the end. */
export type AlertsOf = (
  execution: EndedExecution & { readonly endpointId: string },
  ended: RecordedEnd,
) => Promise<readonly AlertEvent[]>;

/** The alerts about an end. The callback goes to the current `callback_url` of the endpoint (decision 39, alerts). */
export function executionAlerts({
  lookups,
  random,
}: { readonly random: Random } & { readonly lookups: Pick<CallLookups, 'endpoint'> }): AlertsOf {
  return async (execution, ended) => {
    const registered = await lookups.endpoint(execution.workspaceId, execution.slug);
    // Another endpoint may have the slug by now.
    const isOwn = registered?.id === execution.endpointId;
    const callbackUrl = isOwn ? registered.endpoint.callbackUrl : undefined;
    return alertsForExecution(execution, ended, callbackUrl, () => random.uuid());
  };
}
