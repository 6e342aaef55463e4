import { describe, expect, test } from 'bun:test';
import { isAcceptable, variablesProblem } from './accepted-variable.ts';

const REFUSED =
  'PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES IFS ENV BASH_ENV BASHOPTS SHELLOPTS PS4 PROMPT_COMMAND CDPATH ' +
  'HOME XDG_CONFIG_HOME EDITOR GIT_EDITOR VISUAL PAGER GIT_PAGER MANPAGER LESSOPEN SHELL NODE_OPTIONS NODE_PATH npm_config_script_shell ' +
  'PYTHONPATH PYTHONSTARTUP PERL5LIB PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_OPTS ' +
  'CFLAGS LDFLAGS MAKEFLAGS GOFLAGS RUSTFLAGS CC MAKEFILES GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_ASKPASS SSH_ASKPASS TAR_OPTIONS ' +
  'GREP_OPTIONS RSYNC_RSH CURL_HOME WGETRC HTTPS_PROXY https_proxy KUBECONFIG DOCKER_HOST OPENSSL_CONF GCONV_PATH ' +
  'GLIBC_TUNABLES MALLOC_CHECK_ PGSERVICEFILE AWS_CONFIG_FILE SVC_TOKEN SVC_ARG_X';

describe('a variable that an endpoint may accept', () => {
  for (const name of REFUSED.split(' ')) test(`is not ${name}`, () => expect(isAcceptable(name)).toBe(false));

  test('is any other name of a variable, and nothing that is no name', () => {
    for (const name of ['COLOUR', 'ALL', 'TARGET', 'LDAP_HOST', 'NODE', 'GOAL', 'ADOPT', 'lesson'])
      expect([name, isAcceptable(name)]).toEqual([name, true]);
    for (const name of ['', 'a-b', '1A', 'A=B', 'A\nB']) expect(isAcceptable(name)).toBe(false);
  });
});

test('a step sets what the endpoint declares, and nothing else', () => {
  const endpoint = { acceptsEnv: ['COLOUR', 'SIZE'] };
  expect(variablesProblem('a', endpoint, ['SIZE', 'COLOUR'])).toBeUndefined();
  expect(variablesProblem('a', endpoint, ['SIZE', 'MODE'])).toBe(
    'variable "MODE" is not in accepts_env of the endpoint "a": it accepts COLOUR, SIZE',
  );
  expect(variablesProblem('a', { acceptsEnv: [] }, ['toString'])).toContain('it accepts none');
  expect(variablesProblem('a', { acceptsEnv: ['PATH'] }, ['PATH'])).toContain('"PATH"');
});
