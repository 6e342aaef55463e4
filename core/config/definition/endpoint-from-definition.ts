import type { Argument, Endpoint } from '../../endpoint/definition.ts';
import { withoutUnknownCallers } from '../../endpoint/four-eyes.ts';
import type { Program } from '../../endpoint/program.ts';
import type { Transform } from '../../execution/transform/transform.ts';
import type { Path } from '../finding.ts';
import { present } from './present.ts';
import type { EndpointDefinition, TransformDefinition } from './schema.ts';
import { type TextAt, writtenText } from './written-text.ts';

/** What was made of a definition while it was checked, and where it was written. */
export interface TranslatedDefinition {
  readonly args: readonly Argument[];
  readonly program: Program;
  readonly path: Path;
  readonly textAt: TextAt;
}

/** The one place where the wire's names and units become ours. */
export function endpointFromDefinition(
  definition: EndpointDefinition,
  checked: TranslatedDefinition,
): Endpoint {
  return withoutUnknownCallers({
    slug: definition.name,
    command: definition.command,
    program: checked.program,
    args: checked.args,
    timeoutSec: definition.timeout,
    approvalRequired: definition.approval_required,
    approvalTimeoutMins: definition.approval_timeout_mins,
    allowSelf: definition.allow_self,
    public: definition.public,
    env: environment(definition.env, checked),
    acceptsEnv: definition.accepts_env,
    onDisconnect: definition.on_disconnect,
    ...present({
      method: definition.method,
      description: definition.description,
      schedule: definition.schedule,
      agentName: definition.agent_name,
      approvers: definition.approvers,
      approverKeys: definition.approver_keys,
      cwd: definition.cwd,
      transform: definition.transform && transform(definition.transform),
      maxConcurrent: definition.max_concurrent,
      callbackUrl: definition.callback_url,
    }),
  });
}

function environment(
  env: EndpointDefinition['env'],
  { path, textAt }: TranslatedDefinition,
): Record<string, string> {
  const variables = Object.entries(env).map(([name, value]) => [
    name,
    writtenText(value, [...path, 'env', name], textAt),
  ]);
  return Object.fromEntries(variables) as Record<string, string>;
}

function transform({ parse, pattern, select, on_error }: TransformDefinition): Transform {
  return { parse, onError: on_error, ...present({ pattern, select }) };
}
