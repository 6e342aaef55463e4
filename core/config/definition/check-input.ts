import type { DeclaredArgument } from '../../endpoint/definition.ts';
import { fileArguments } from '../../endpoint/file-arguments.ts';
import { LIMITS } from '../../plan/limits.ts';
import { HOSTED_AGENT } from '../../protocol/agent-name.ts';
import { atKey, type Path, type ValidationIssue } from '../validation-issue.ts';

/**
 * A body comes with a call. So an endpoint with `stdin: body` has nothing that starts it by itself (decision 73, the body as standard
 * input).
 */
export function inputIssues(value: Readonly<Record<string, unknown>>, path: Path): ValidationIssue[] {
  const streamed = '"stdin: body" streams the body of a call to its command';
  if (value.stdin !== 'body') {
    if (value.max_stdin === undefined) return [];
    return [atKey([...path, 'max_stdin'], 'max_stdin belongs to "stdin: body"')];
  }
  const issues: [boolean, string, string][] = [
    [value.method === 'GET', 'method', `a GET has no body, and ${streamed}; use POST`],
    [value.schedule !== undefined, 'schedule', `${streamed}, and a schedule sends none`],
    [
      value.agent_name === HOSTED_AGENT,
      'agent_name',
      `${streamed} on an agent of yours; the hosted runner takes none`,
    ],
  ];
  return issues.flatMap(([isWrong, key, message]) => (isWrong ? [atKey([...path, key], message)] : []));
}

/** A file comes with a call, like a body. So an endpoint that takes one has the same limits (decision 76, files of a call). */
export function fileIssues(
  value: Readonly<Record<string, unknown>>,
  args: readonly (DeclaredArgument | undefined)[],
  path: Path,
): ValidationIssue[] {
  const files = fileArguments(args.filter((argument) => argument !== undefined));
  const [file] = files;
  if (file === undefined) return [];
  const taken = `argument "${file.name}" is a file`;
  const isRequired = files.some(({ required }) => required);
  const issues: [boolean, string, string][] = [
    [value.method === 'GET', 'method', `${taken}, and a GET has no body; use POST`],
    [value.schedule !== undefined && isRequired, 'schedule', `${taken}, and a schedule sends none`],
    [
      value.agent_name === HOSTED_AGENT,
      'agent_name',
      `${taken}, and files go to agents of yours; the hosted runner takes none`,
    ],
    [
      value.stdin === 'body',
      'stdin',
      `${taken}, and with "stdin: body" the whole body is the standard input`,
    ],
    [
      files.length > LIMITS.filesPerEndpoint,
      'args',
      `${files.length} arguments are files: at most ${LIMITS.filesPerEndpoint} are accepted`,
    ],
  ];
  return issues.flatMap(([isWrong, key, message]) => (isWrong ? [atKey([...path, key], message)] : []));
}
