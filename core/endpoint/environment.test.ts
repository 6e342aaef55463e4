import { describe, expect, test } from 'bun:test';
import {
  commandEnvironment,
  inheritedEnvironment,
  isForbiddenVariable,
  isVariableName,
} from './environment.ts';

describe('variables that must not be set', () => {
  test.each([
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'BASH_FUNC_ls%%',
    'ENV',
    'IFS',
    'PS4',
    'SHELLOPTS',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'GIT_SSH',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'SVC_TOKEN',
    'SVC_ARG_X',
  ])('%s', (name) => {
    expect(isForbiddenVariable(name)).toBe(true);
  });

  test.each(['PATHS', 'MY_PATH', 'ENVIRONMENT', 'LANG', 'PERL', 'GIT_DIR', 'svc_x', 'LD'])(
    'but %s',
    (name) => {
      expect(isForbiddenVariable(name)).toBe(false);
    },
  );
});

test('a variable name has letters, digits and _ and begins with no digit', () => {
  expect(['A', '_a1'].every(isVariableName)).toBe(true);
  expect(['', '1A', 'A-B', 'A=B', 'Ä', 'BASH_FUNC_x%%'].some(isVariableName)).toBe(false);
});

describe('the environment of a command', () => {
  const parts = {
    endpointEnv: { LANG: 'de_DE.UTF-8', REGION: 'eu' },
    bound: { SVC_ARG_BRANCH: 'main' },
    executionId: 'id-1',
    slug: 'deploy',
  };

  test('begins with the own one of the agent, without SVC_*', () => {
    const own = {
      HOME: '/home/me',
      SVC_TOKEN: 'svc_at_secret',
      CREDENTIALS_DIRECTORY: '/run/credentials/svc-agent.service',
      GONE: undefined,
      LANG: 'C',
    };
    expect(inheritedEnvironment(own)).toEqual({ HOME: '/home/me', LANG: 'C' });
  });

  test('continues with env, the values and the ids of the execution', () => {
    expect(commandEnvironment(parts)).toEqual({
      LANG: 'de_DE.UTF-8',
      REGION: 'eu',
      SVC_ARG_BRANCH: 'main',
      SVC_EXECUTION_ID: 'id-1',
      SVC_ENDPOINT: 'deploy',
    });
  });

  test('says where the command stands in a trace, unless env says it', () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    expect(commandEnvironment({ ...parts, traceparent }).TRACEPARENT).toBe(traceparent);
    const endpointEnv = { TRACEPARENT: 'its own' };
    expect(commandEnvironment({ ...parts, endpointEnv, traceparent }).TRACEPARENT).toBe('its own');
  });

  test('is not made when env sets a forbidden variable', () => {
    expect(() => commandEnvironment({ ...parts, endpointEnv: { LD_PRELOAD: 'x' } })).toThrow('LD_PRELOAD');
  });
});
