import type { AuditAction } from '@svc/core/audit/actions';

/** The filters in the query of the page. */
export interface AuditSearch {
  readonly action?: AuditAction;
  /** The id of a member. */
  readonly actor?: string;
  /** The beginning of the name of the actor or target. */
  readonly name?: string;
  /** RFC 3339. */
  readonly from?: string;
  readonly until?: string;
}

/** The hub accepts no longer text. */
export const MAX_NAME_CHARS = 100;

/** Reads the filters and ignores invalid values. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const { action, actor, name, from, until } = search;
  return {
    ...(isAction(action) && { action }),
    ...(isText(actor) && { actor }),
    ...(isText(name) && { name }),
    ...(isTime(from) && { from }),
    ...(isTime(until) && { until }),
  };
}

/** The router is loaded with the first view, which has no room for the list of all actions. */
function isAction(value: unknown): value is AuditAction {
  return typeof value === 'string' && /^[a-z_]+\.[a-z_]+$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}
