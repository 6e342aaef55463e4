import { HOSTED_AGENT } from '../../protocol/agent-name.ts';
import { atKey, type Path, type ValidationIssue } from '../validation-issue.ts';

/**
 * A body is streamed from a caller that waits to the command, and is kept nowhere. So an endpoint with `stdin: body` has nothing
 * that starts it later or by itself (decision 73, the body as standard input).
 */
export function inputIssues(value: Readonly<Record<string, unknown>>, path: Path): ValidationIssue[] {
  const streamed = '"stdin: body" streams the body of a call to its command';
  if (value.stdin !== 'body') {
    if (value.max_stdin === undefined) return [];
    return [atKey([...path, 'max_stdin'], 'max_stdin belongs to "stdin: body"')];
  }
  const issues: [boolean, string, string][] = [
    [value.method === 'GET', 'method', `a GET has no body, and ${streamed}; use POST`],
    [
      value.approval_required === true,
      'approval_required',
      `${streamed}, and nothing keeps it until a person has approved; leave one of the two out`,
    ],
    [value.schedule !== undefined, 'schedule', `${streamed}, and a schedule sends none`],
    [
      value.agent_name === HOSTED_AGENT,
      'agent_name',
      `${streamed} on an agent of yours; the hosted runner takes none`,
    ],
  ];
  return issues.flatMap(([isWrong, key, message]) => (isWrong ? [atKey([...path, key], message)] : []));
}
