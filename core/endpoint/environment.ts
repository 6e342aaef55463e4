/** Variables that decide what a program loads or runs before its own first line (decision 12); `*` ends a prefix. */
export const FORBIDDEN_VARIABLES = [
  'PATH',
  'LD_*',
  'DYLD_*',
  'BASH_ENV',
  'BASH_FUNC_*',
  'ENV',
  'IFS',
  'PS4',
  'SHELLOPTS',
  'NODE_OPTIONS',
  'PYTHON*',
  'PERL5*',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'GIT_SSH*',
  'GIT_CONFIG*',
  'SVC_*',
] as const;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether a text is a name that every shell accepts for a variable. */
export function isVariableName(text: string): boolean {
  return VARIABLE_NAME.test(text);
}

/** Whether the name is one that `env`, an argument or a secret may never set (decision 12). */
export function isForbiddenVariable(name: string): boolean {
  return FORBIDDEN_VARIABLES.some((entry) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
}

/** What the environment of one command is made of. */
export interface EnvironmentParts {
  /** The agent's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** The endpoint's `env`. */
  readonly endpointEnv: Readonly<Record<string, string>>;
  /** What `bind` answered: `SVC_ARG_*` and, in shell mode, `SVC_SECRET_*`. */
  readonly bound: Readonly<Record<string, string>>;
  readonly executionId: string;
  readonly slug: string;
}

/**
 * The complete environment of a command (decision 12): nothing else may be added to it.
 *
 * The agent's own `SVC_*` (its token among them) stay with the agent. The endpoint's `env` is checked when it is loaded;
 * here a forbidden name is a bug and throws.
 */
export function commandEnvironment(parts: EnvironmentParts): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.inherited)) {
    if (value !== undefined && !name.startsWith('SVC_')) environment[name] = value;
  }
  for (const [name, value] of Object.entries(parts.endpointEnv)) {
    if (isForbiddenVariable(name)) throw new Error(`env may not set ${name} (decision 12)`);
    environment[name] = value;
  }
  return {
    ...environment,
    ...parts.bound,
    SVC_EXECUTION_ID: parts.executionId,
    SVC_ENDPOINT: parts.slug,
  };
}
