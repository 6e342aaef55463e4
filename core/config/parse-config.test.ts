import { describe, expect, test } from 'bun:test';
import { definitionOf, readDefinition } from '../protocol/definition.ts';
import { argumentFile, endpointFile, endpointsOf, placesOf, problemsOf } from './fixtures/svc-yaml.ts';
import { parseConfig } from './parse-config.ts';
import { formatProblem } from './problem.ts';

describe('all mistakes are reported', () => {
  test('at once, in the order of the file', () => {
    const yaml = [
      'version: 3',
      'endpoints:',
      '  - name: Bad Name',
      '    comand: ls',
      '    schedule: 61 * * * *',
      '    args:',
      '      - name: 1st',
      '      - name: level',
      '        type: intger',
      '      - name: size',
      '        pattern: "["',
      '    transform: {parse: regex}',
      '  - name: ok',
      '    command: echo',
      '    env: {PATH: /tmp}',
      '    timeout: soon',
      '  - name: ok',
      '    command: echo',
      'endpoint: []',
    ];
    const places = placesOf(yaml.join('\n'));
    expect(places).toEqual([
      '1:10',
      '3:11',
      '4:5',
      '5:15',
      '7:15',
      '9:15',
      '11:19',
      '12:24',
      '15:11',
      '16:14',
      '17:11',
      '19:1',
    ]);
  });

  test('once where an alias repeats them, at the anchor', () => {
    const yaml = [
      'version: 1',
      'endpoints:',
      '  - {name: a, command: echo, args: &args [{name: n, max_length: 0}]}',
      '  - {name: b, command: echo, args: *args}',
    ];
    expect(problemsOf(yaml.join('\n'))).toEqual([
      '3:65 max_length 0: a whole number from 1 to 65536 expected',
    ]);
  });

  test('up to a hundred', () => {
    const keys = Array.from({ length: 150 }, (_, n) => `k${n}: 1`);
    const problems = problemsOf(keys.join('\n'));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('98:1 and 52 more problems after this one');
  });

  test('with the keys that lead there', () => {
    const parsed = parseConfig(argumentFile('choices: {a: b}'));
    expect(parsed).toMatchObject({
      problems: [{ path: 'endpoints[0].args[0].choices', line: 7, column: 18 }],
    });
  });
});

describe('a mistake in a command is reported with its place in the file', () => {
  const bad = ['eval {{a}}', 'echo; eval {{a}}'];
  const styles: [style: string, lines: (command: string) => string[]][] = [
    ['plain', (command) => [`command: ${command}`]],
    ['plain over two lines', (command) => ['command: echo', `  then; ${command}`]],
    ['in single quotes', (command) => [`command: 'echo ''x''; ${command}'`]],
    ['in double quotes', (command) => [`command: "echo \\"\\u00e9\\t\\"; ${command}"`]],
    ['in a literal block', (command) => ['command: |', '  echo "x"', `    ${command}`]],
    ['in a folded block', (command) => ['command: >-', '  echo', '  "x";', '', `  ${command}`]],
  ];
  for (const [style, lines] of styles) {
    for (const command of bad) {
      test(`${style}: ${command}`, () => {
        const head = ['version: 1', 'endpoints:', '  - name: x', '    args: [{name: a}]'];
        const file = [...head, ...lines(command).map((line) => `    ${line}`)];
        const line = file.findIndex((text) => text.includes('{{a}}'));
        const column = file[line]?.indexOf('{{a}}') ?? -1;
        expect(placesOf(file.join('\n'))).toEqual([`${line + 1}:${column + 1}`]);
      });
    }
  }
});

describe('the meaning of a file', () => {
  test('an endpoint of two keys has the defaults of the contract', () => {
    expect(endpointsOf(endpointFile())).toEqual([
      {
        slug: 'x',
        command: 'echo hi',
        program: expect.objectContaining({ mode: 'argv' }),
        args: [],
        timeoutSec: 60,
        approvalRequired: false,
        approvalTimeoutMins: 30,
        allowSelf: true,
        public: false,
        env: {},
        acceptsEnv: [],
        onDisconnect: 'continue',
      },
    ]);
  });

  test('a schedule is allowed with required arguments that have a default, and with optional ones', () => {
    const lines = [
      'schedule: 0 4 * * 1',
      'args:',
      '  - {name: a, required: true, default: b}',
      '  - {name: c}',
    ];
    expect(endpointsOf(endpointFile(...lines))[0]?.schedule).toBe('0 4 * * 1');
  });

  test('every key arrives under its own name and unit', () => {
    const lines = [
      'method: POST',
      'description: Says it',
      'args:',
      '  - {name: to, required: true, description: Who, type: string, pattern: "[a-z]+", max_length: 9}',
      '  - {name: how, choices: [soft, loud], default: loud}',
      '  - {name: key, secret: true, allow_dash: true}',
      '  - {name: from, type: url, schemes: [https], hosts: ["*.example.org"]}',
      'timeout: 5',
      'agent_name: hosted',
      'approval_required: true',
      'approval_timeout_mins: 7',
      'approvers: [admin, eve@example.org]',
      'allow_self: true',
      'accepts_env: [COLOUR]',
      'env: {A: b}',
      'cwd: /srv',
      'public: true',
      'transform: {parse: regex, pattern: "(?<n>x)", select: ".[0]", on_error: raw}',
      'on_disconnect: cancel',
      'max_concurrent: 2',
      'callback_url: https://example.org/done',
      'alerts: [{events: [no_success_since], no_success_mins: 5, target: $svc:HOOK, channel: slack}]',
    ];
    expect(endpointsOf(endpointFile(...lines))[0]).toEqual({
      slug: 'x',
      method: 'POST',
      description: 'Says it',
      command: 'echo hi',
      program: expect.objectContaining({ mode: 'argv' }),
      args: [
        {
          name: 'to',
          required: true,
          description: 'Who',
          type: 'text',
          inferred: false,
          pattern: '[a-z]+',
          maxLength: 9,
          secret: false,
          allowDash: false,
        },
        {
          name: 'how',
          required: false,
          type: 'enum',
          inferred: false,
          choices: ['soft', 'loud'],
          default: 'loud',
          secret: false,
          allowDash: false,
        },
        { name: 'key', required: false, type: 'text', inferred: true, secret: true, allowDash: true },
        {
          name: 'from',
          required: false,
          type: 'url',
          inferred: false,
          schemes: ['https'],
          hosts: ['*.example.org'],
          secret: false,
          allowDash: false,
        },
      ],
      timeoutSec: 5,
      agentName: 'hosted',
      approvalRequired: true,
      approvalTimeoutMins: 7,
      approvers: ['admin', 'eve@example.org'],
      allowSelf: true,
      acceptsEnv: ['COLOUR'],
      env: { A: 'b' },
      cwd: '/srv',
      public: true,
      transform: { parse: 'regex', pattern: '(?<n>x)', select: '.[0]', onError: 'raw' },
      onDisconnect: 'cancel',
      maxConcurrent: 2,
      callbackUrl: 'https://example.org/done',
      alerts: [{ events: ['no_success_since'], noSuccessMins: 5, target: '$svc:HOOK', channel: 'slack' }],
    });
  });

  test('defaults, choices and variables are the text that was written, whatever YAML makes of it', () => {
    const written = ['1.10', '0x1F', '08080', '1e3', 'True', 'yes', '~x', '-0', '.5', '12345678901234567890'];
    const [first] = endpointsOf(
      endpointFile(
        'args:',
        `  - {name: a, choices: [${written.join(', ')}], default: 1.10}`,
        'env:',
        ...written.map((text, index) => `  V${index}: ${text}`),
      ),
    );
    expect(first?.args[0]).toMatchObject({ type: 'enum', choices: written, default: '1.10' });
    expect(Object.values(first?.env ?? {})).toEqual(written);
  });

  test('the text of a value is kept through an alias too', () => {
    const [first] = endpointsOf(endpointFile('timeout: &t 60.0', 'env: {T: *t}'));
    expect(first).toMatchObject({ timeoutSec: 60, env: { T: '60.0' } });
  });

  test('line ends of Windows and a byte order mark make no difference', () => {
    const yaml = endpointFile('env:', '  A: |', '    1', '    2');
    expect(parseConfig(`\uFEFF${yaml.replaceAll('\n', '\r\n')}`)).toEqual(parseConfig(yaml));
    expect(placesOf('\uFEFFversion: 2\r\nendpoints: {}\r\n')).toEqual(['1:10', '2:12']);
  });
});

test('the schema of a result arrives as it was written, and in definitions', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  const [endpoint] = endpointsOf(endpointFile(`transform: {parse: json, schema: ${JSON.stringify(schema)}}`));
  expect(endpoint?.transform).toEqual({ parse: 'json', schema, onError: 'fail' });
  const definition = endpoint && definitionOf(endpoint);
  expect(definition?.transform).toEqual({ parse: 'json', schema });
  expect(readDefinition(definition ?? {})).toMatchObject({ kind: 'endpoint', endpoint });
});

test('a name that the server needs for itself is a mistake where that server reads the file', () => {
  const yaml = endpointFile().replace('name: x', 'name: health');
  expect(parseConfig(yaml)).toMatchObject({ kind: 'config' });
  expect(parseConfig(yaml, ['health'])).toMatchObject({
    problems: [
      { message: 'name "health" is taken by the server itself: choose another', line: 3, column: 11 },
    ],
  });
});

describe('warnings', () => {
  const warningsOf = (text: string) => {
    const parsed = parseConfig(text);
    return parsed.kind === 'config' ? parsed.warnings.map((warning) => formatProblem('f', warning)) : [];
  };

  test('a list without endpoints is a config that does nothing', () => {
    expect(warningsOf('version: 1\nendpoints: []\n')).toEqual([
      'f:2:1: there are no endpoints: nothing can be called',
    ]);
  });

  test('a placeholder that is misspelt is only text', () => {
    const yaml = 'version: 1\nendpoints:\n  - {name: x, command: "echo {{nme}}", args: [{name: name}]}\n';
    expect(warningsOf(yaml)).toEqual([
      'f:3:30: {{nme}} is text here, not an argument; did you mean {{name}}?',
    ]);
  });

  test('the keys of approvals do nothing without approvals', () => {
    expect(warningsOf(endpointFile('approvers: [admin]', 'allow_self: false'))).toEqual([
      'f:5:5: approvers does nothing without "approval_required: true"',
      'f:6:5: allow_self does nothing without "approval_required: true"',
    ]);
    expect(warningsOf(endpointFile('approval_required: true', 'approvers: [admin]'))).toEqual([]);
  });

  test('a program beside the file is not in the container of a hosted command', () => {
    const yaml = (agent: string) =>
      `version: 1\nendpoints:\n  - {name: x, command: ./deploy.sh --fast, agent_name: ${agent}}\n`;
    expect(warningsOf(yaml('hosted'))).toEqual([
      'f:3:24: "./deploy.sh" is not in a container of the hosted runner, which gets only the text of the command',
    ]);
    expect(warningsOf(yaml('build'))).toEqual([]);
  });
});
