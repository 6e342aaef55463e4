import { refuse } from '../refusal.ts';
import { type AnswerFormat, answerFormat } from './answer-format.ts';

/** The status of a result whose exit code is not 0, for a caller that asked for it. */
const FAILED_STATUS = 502;
/** The status for the same caller of an answer that is sent before the end. */
export const UNFINISHED_STATUS = 504;
const PARAMETER = /(?:^|&)fail=([^&]*)/g;
const NO_FAIL_STATUS = { failStatus: false } as const;

/**
 * Reads `fail` from the query of a call and removes it; `1` and `true` request an error status. If the endpoint has an
 * argument `fail`, the value belongs to that argument, and only `Prefer: fail-status` requests the status.
 *
 * Throws `invalid_argument` for any other value.
 */
export function readFailStatus(
  query: string,
  takesArgument: () => boolean,
): { readonly failStatus: boolean; readonly query: string } {
  if (!query.includes('fail=') || takesArgument()) return { ...NO_FAIL_STATUS, query };
  let failStatus = false;
  const rest = query.replaceAll(PARAMETER, (_, value: string) => {
    if (!['0', '1', 'false', 'true'].includes(value))
      throw refuse('invalid_argument', `fail=${value}: 1 or 0 expected`);
    failStatus = value === '1' || value === 'true';
    return '';
  });
  return { failStatus, query: rest };
}

/**
 * The shape of the answer. The status of a stream is sent before the command ends, so an error status takes one JSON body.
 *
 * Throws `invalid_argument` if `Accept` asks for events and the query for an error status; a header only prefers.
 */
export function formatFor(
  accept: string | null,
  parameter: { readonly inQuery: boolean; readonly inHeader: boolean },
): { readonly format: AnswerFormat; readonly failStatus: boolean } {
  const format = answerFormat(accept);
  if (!parameter.inQuery && !parameter.inHeader) return { format, failStatus: false };
  const wantsEvents = format === 'events' && (accept ?? '').toLowerCase().includes('text/event-stream');
  if (!wantsEvents) return { format: 'buffered', failStatus: true };
  if (!parameter.inQuery) return { format, failStatus: false };
  throw refuse(
    'invalid_argument',
    'fail=1 with Accept: text/event-stream: the status of a stream is sent before the command ends; ask for application/json',
  );
}

/** The status of a result. */
export function resultStatus(exitCode: number, failStatus: boolean): 200 | typeof FAILED_STATUS {
  return failStatus && exitCode !== 0 ? FAILED_STATUS : 200;
}

/** The headers of a result, for programs that do not read the body. */
export function resultHeaders(exitCode: number, failStatus: boolean): Record<string, string> {
  const code = { 'X-Exit-Code': String(exitCode) };
  return failStatus ? { ...code, 'Preference-Applied': 'fail-status' } : code;
}
