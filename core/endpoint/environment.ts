/**
 * Variables that decide what a program loads or runs before its own first line (decision 12, the environment of a command).
 * A final `*` stands for any ending.
 */
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

/** Whether neither `env`, an argument nor a secret may ever set this variable (decision 12, the environment of a command). */
export function isForbiddenVariable(name: string): boolean {
  return FORBIDDEN_VARIABLES.some((entry) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
}

/** Further variables, beyond those of decision 12, whose value common programs run, load or read as options. */
const RUNNING_VARIABLES: ReadonlySet<string> = new Set(
  (
    'EDITOR VISUAL PAGER BROWSER SHELL LESSOPEN LESSCLOSE MANPAGER MANOPT SYSTEMD_PAGER PROMPT_COMMAND BASHOPTS GIT_ASKPASS ' +
    'GIT_EDITOR GIT_PAGER GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_DIR ' +
    'GIT_ATTR_SOURCE SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH TAR_OPTIONS MAKEFLAGS MFLAGS GNUMAKEFLAGS ' +
    'NODE_PATH RUBYLIB PERLLIB LUA_INIT LUA_PATH LUA_CPATH CLASSPATH JDK_JAVA_OPTIONS _JAVA_OPTIONS AWKPATH AWKLIBPATH ' +
    'GCONV_PATH GLIBC_TUNABLES LOCPATH HOSTALIASES KUBECONFIG KUBECTL_EXTERNAL_DIFF DOCKER_CONFIG BUN_OPTIONS CDPATH ZDOTDIR ' +
    'PS0 PS1 PS2 PROMPT RPROMPT MAILPATH FCEDIT R_PROFILE R_ENVIRON PSQL_EDITOR PSQL_PAGER PSQLRC OPENSSL_CONF RUSTC_WRAPPER CC CXX ' +
    // bash evaluates what it puts into these as arithmetic
    'OPTIND SECONDS RANDOM'
  ).split(' '),
);

/** Whether a value may go into the variable: no program runs or loads what the variable holds. */
export function isSettable(name: string): boolean {
  return !isForbiddenVariable(name) && !RUNNING_VARIABLES.has(name);
}

/** A variable of the shell text alone. Programs of the system do not read names of this form. */
export function isLocalName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy');
}
/** The path of the systemd credentials of the agent, which include its token. */
const CREDENTIALS = 'CREDENTIALS_DIRECTORY';

/**
 * The part of the agent's own environment that commands inherit (decision 12, the environment of a command, and decision
 * 59, the agent's token stays with the agent). The agent's `SVC_*` variables, which include its token, and the path of its
 * credentials are left out. It is computed once, because every command inherits the same.
 */
export function inheritedEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && !name.startsWith('SVC_') && name !== CREDENTIALS) inherited[name] = value;
  return inherited;
}

/** The variables of one command beyond the inherited ones. */
export interface EnvironmentParts {
  /** The endpoint's `env`. */
  readonly endpointEnv: Readonly<Record<string, string>>;
  /** The result of `bind`: `SVC_ARG_*` and, in shell mode, `SVC_SECRET_*`. */
  readonly bound: Readonly<Record<string, string>>;
  readonly executionId: string;
  readonly slug: string;
  /** The trace context of a traced call. The endpoint's own `env` takes precedence. */
  readonly traceparent?: string | undefined;
}

/**
 * The variables of one command beyond the inherited ones (decision 12, the environment of a command). No other code may add
 * variables.
 *
 * `env` of an endpoint is checked when the endpoint is loaded, so a forbidden name here is a bug and throws.
 */
export function commandEnvironment(parts: EnvironmentParts): Record<string, string> {
  for (const name of Object.keys(parts.endpointEnv))
    if (isForbiddenVariable(name)) throw new Error(`env may not set ${name} (decision 12)`);
  return {
    ...(parts.traceparent === undefined ? {} : { TRACEPARENT: parts.traceparent }),
    ...parts.endpointEnv,
    ...parts.bound,
    SVC_EXECUTION_ID: parts.executionId,
    SVC_ENDPOINT: parts.slug,
  };
}
