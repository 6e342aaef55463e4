import type { Endpoint } from './definition.ts';
import { isForbiddenVariable, isVariableName } from './environment.ts';

/**
 * Variables that a loader, a shell, an interpreter or a build tool acts upon (decision 60, the file is a floor), in
 * capitals; `*` stands for any text. No endpoint can accept them from a step. This list is the second protection: the first
 * is that an endpoint accepts only the names that it declares.
 */
const INTERPRETED = [
  // loaders and the C library
  ...[
    'LD_*',
    'LDR_*',
    'DYLD_*',
    'LIBPATH',
    'SHLIB_PATH',
    'GCONV_PATH',
    'LOCPATH',
    'NLSPATH',
    'GLIBC_TUNABLES',
    'MALLOC_*',
  ],
  ...['RES_OPTIONS', 'HOSTALIASES', 'LOCALDOMAIN', 'TZDIR', 'GETCONF_DIR'],
  // shells, and the programs that others start
  ...[
    'PATH',
    'IFS',
    'ENV',
    'BASH*',
    'CDPATH',
    'FPATH',
    'ZDOTDIR',
    'PS0',
    'PS1',
    'PS2',
    'PS3',
    'PS4',
    'PROMPT',
    'PROMPT_*',
  ],
  ...[
    'SHELL*',
    'GLOBIGNORE',
    'EXECIGNORE',
    'HISTFILE',
    'INPUTRC',
    'MAILCHECK',
    'POSIXLY_CORRECT',
    'HOME',
    'XDG_*',
  ],
  ...[
    '*EDITOR',
    'VISUAL',
    '*PAGER',
    'BROWSER',
    'LESS',
    'LESSOPEN',
    'LESSCLOSE',
    'LESSKEY*',
    'MANOPT',
    'MORE',
    'VIMINIT',
    'EXINIT',
  ],
  ...['TERMINFO*', 'TERMCAP', 'TERMPATH', '*_ASKPASS', 'ASKPASS'],
  // what adds options or runs a command
  ...['*OPTS', '*OPTIONS', '*FLAGS', '*_COMMAND', '*_CMD', '*_ARGS', '*_PRELOAD', '*_PROXY', 'RUNPARTS'],
  // interpreters and their packages
  ...[
    'NODE_*',
    'NPM_*',
    'YARN_*',
    'PNPM_*',
    'BUN_*',
    'DENO_*',
    'TS_NODE*',
    'PYTHON*',
    'PIP_*',
    'UV_*',
    'VIRTUAL_ENV',
  ],
  ...[
    'PERL*',
    'RUBY*',
    'GEM_*',
    'BUNDLE_*',
    'PHPRC',
    'PHP_*',
    'LUA_*',
    'TCL*',
    'JAVA_*',
    '_JAVA_*',
    'JDK_*',
    'CLASSPATH',
    'R_*',
    'JULIA*',
  ],
  ...[
    'ERL_*',
    'DOTNET*',
    'CORECLR*',
    'COMPLUS_*',
    'MONO_*',
    'GUILE*',
    'AWKPATH',
    'AWKLIBPATH',
    'CARGO_*',
    'RUSTC*',
    'GOPATH',
    'GOROOT',
    'GOENV',
    'GOPROXY',
    'GOTOOL*',
    'GODEBUG',
  ],
  // compilers and build tools
  ...[
    'MAKE',
    'MAKEFILES',
    'MAKESHELL',
    'GNUMAKE*',
    'CC',
    'CXX',
    'CPP',
    'AR',
    'AS',
    'NM',
    'YACC',
    'LEX',
    'COMPILER_PATH',
    'LIBRARY_PATH',
    'CPATH',
  ],
  ...['*_INCLUDE_PATH', 'GCC_*', 'CMAKE_*', 'PKG_CONFIG*', 'ANT_*', 'MAVEN*', 'GRADLE*'],
  // programs that take a configuration file, a helper or a library from a variable
  ...[
    'GIT_*',
    'SSH_*',
    'RSYNC_*',
    'CVS*',
    'SVN_*',
    'HG',
    'HGRCPATH',
    'HGPLAIN',
    'CURL_*',
    'WGETRC',
    'OPENSSL_*',
    'SSL_*',
    'SSLKEYLOGFILE',
    'NETRC',
  ],
  ...[
    'DOCKER_*',
    'KUBECONFIG',
    'KUBE_*',
    'HELM_*',
    'ANSIBLE_*',
    'TF_*',
    'VAULT_*',
    'PGSERVICEFILE',
    'PGSYSCONFDIR',
    'PSQLRC',
    'PSQL_*',
  ],
  ...[
    'MYSQL_*',
    'AWS_CONFIG_FILE',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_PROFILE',
    'GTK_*',
    'QT_*',
    'GST_*',
    'ODBC*',
  ],
] as const;

/** Letters that a regular expression treats as syntax do not occur in names of variables. */
const ANY_INTERPRETED = new RegExp(`^(?:${INTERPRETED.map((one) => one.replaceAll('*', '.*')).join('|')})$`);

/** Whether a program may act upon a variable of this name before it reads anything else. */
export function isInterpretedVariable(name: string): boolean {
  return isForbiddenVariable(name) || ANY_INTERPRETED.test(name.toUpperCase());
}

/** Why a step may not set these variables of an endpoint; undefined: it may (decision 60, the file is a floor). */
export function variablesProblem(
  slug: string,
  { acceptsEnv }: Pick<Endpoint, 'acceptsEnv'>,
  names: readonly string[],
): string | undefined {
  const name = names.find((one) => !acceptsEnv.includes(one) || !isAcceptable(one));
  if (name === undefined) return undefined;
  const accepted = acceptsEnv.length === 0 ? 'it accepts none' : `it accepts ${acceptsEnv.join(', ')}`;
  return `variable "${name}" is not in accepts_env of the endpoint "${slug}": ${accepted}`;
}

/** Whether an endpoint may list the variable in `accepts_env`. */
export function isAcceptable(name: string): boolean {
  return isVariableName(name) && !isInterpretedVariable(name);
}
