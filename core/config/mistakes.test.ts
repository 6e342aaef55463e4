import { describe, expect, test } from 'bun:test';
import { argumentFile, endpointFile, problemsOf } from './fixtures/svc-yaml.ts';

describe('a mistake is reported with its place', () => {
  const KEYS =
    'name, command, args, method, description, tags, timeout, env, accepts_env, cwd, transform, output, content_type, merge, artifacts, stdin, max_stdin, public, on_disconnect, effects, idempotent, mcp, ' +
    'max_concurrent, schedule, agent_name, approval_required, approval, approval_timeout_mins, approvers, allow_self, ' +
    'approver_keys, callback_url, alerts';
  const SLUG = 'up to 64 lower-case letters, digits, "_" and "-", the first a letter or digit, expected';
  const table: [mistake: string, yaml: string, ...problems: string[]][] = [
    ['an empty file', '', '1:1 the file is empty: a map with version and endpoints expected'],
    ['a file of comments', '# later\n', '1:1 the file is empty: a map with version and endpoints expected'],
    ['a list', '- a\n', '1:1 the file is a list: a map with version and endpoints expected'],
    ['one word', 'hello', '1:1 the file "hello": a map with version and endpoints expected'],
    ['no version', 'endpoints: []\n', '1:1 key "version" is missing: 1 expected'],
    ['no endpoints', 'version: 1\n', '1:1 key "endpoints" is missing: a list of endpoints expected'],
    ['another version', 'version: 2\nendpoints: []\n', '1:10 version 2: 1 expected'],
    [
      'a version in quotes',
      'version: "1"\nendpoints: []\n',
      '1:10 version "1": 1 expected; write it without quotes',
    ],
    [
      'endpoints left empty',
      'version: 1\nendpoints:\n',
      '2:1 endpoints has no value: a list of endpoints expected',
    ],
    [
      'endpoints as a map',
      'version: 1\nendpoints:\n  a: b\n',
      '3:3 endpoints is a map: a list of endpoints expected',
    ],
    [
      'endpoints as words',
      'version: 1\nendpoints: [date]\n',
      '2:13 endpoints[0] "date": an endpoint with a name and a command expected',
    ],
    [
      'an unknown key of the file',
      'version: 1\nendpoint: []\nendpoints: []\n',
      '2:1 unknown key "endpoint": did you mean "endpoints"?',
    ],
    [
      'no command',
      'version: 1\nendpoints:\n  - name: x\n  - name: y\n',
      '3:5 key "command" is missing: a command line expected',
      '4:5 key "command" is missing: a command line expected',
    ],
    ['a misspelt key', endpointFile('timeuot: 5'), '5:5 unknown key "timeuot": did you mean "timeout"?'],
    [
      'a misspelt key beside the right one',
      endpointFile('timeuot: 5', 'timeout: no'),
      '5:5 unknown key "timeuot": did you mean "timeout"?',
      '6:14 timeout "no": whole seconds from 1 to 86400 expected',
    ],
    ['the key of another tool', endpointFile('cron: 1'), '5:5 unknown key "cron": did you mean "schedule"?'],
    ['a key that means nothing', endpointFile('zzz: 1'), `5:5 unknown key "zzz": ${KEYS} are known here`],
    [
      'a key of an object in JavaScript',
      endpointFile('constructor: 1'),
      `5:5 unknown key "constructor": ${KEYS} are known here`,
    ],
    [
      'a key that stands twice',
      endpointFile('command: ls'),
      '5:5 key "command" stands twice; first in line 4',
    ],
    [
      'a name that stands twice',
      `${endpointFile()}  - name: x\n    command: ls\n`,
      '5:11 endpoint "x" stands twice; first in line 3',
    ],
    [
      'a name with capitals',
      'version: 1\nendpoints:\n  - {name: My Job, command: ls}\n',
      `3:12 name "My Job": ${SLUG}`,
    ],
    [
      'a name that is a number',
      'version: 1\nendpoints:\n  - {name: 404, command: ls}\n',
      `3:12 name 404: ${SLUG}; put it in quotes`,
    ],
    [
      'a command that is a map',
      'version: 1\nendpoints:\n  - {name: x, command: {a: b}}\n',
      '3:24 command is a map: a command line expected; a value that begins with "{" or "[" needs quotes',
    ],
    [
      'a command that is only a placeholder without quotes',
      'version: 1\nendpoints:\n  - name: x\n    command: {{a}}\n',
      '4:14 a key is text, and here it is something else; a value that begins with "{" or "[" needs quotes',
    ],
    [
      'a time-out in quotes',
      endpointFile('timeout: "60"'),
      '5:14 timeout "60": whole seconds from 1 to 86400 expected; write it without quotes',
    ],
    [
      'a time-out with a unit',
      endpointFile('timeout: 60s'),
      '5:14 timeout "60s": whole seconds from 1 to 86400 expected',
    ],
    ['a tag of two words', endpointFile('tags: [ok, Team A]'), `5:16 tags[1] "Team A": ${SLUG}`],
    [
      'too many tags',
      endpointFile(`tags: [${Array(11).fill('a')}]`),
      '5:11 tags is a list: at most 10 tags expected',
    ],
    ['no time at all', endpointFile('timeout: 0'), '5:14 timeout 0: whole seconds from 1 to 86400 expected'],
    [
      'half a second',
      endpointFile('timeout: 0.5'),
      '5:14 timeout 0.5: whole seconds from 1 to 86400 expected',
    ],
    [
      'a day and a second',
      endpointFile('timeout: 86401'),
      '5:14 timeout 86401: whole seconds from 1 to 86400 expected',
    ],
    [
      'a time-out left empty',
      endpointFile('timeout:'),
      '5:5 timeout has no value: whole seconds from 1 to 86400 expected',
    ],
    [
      'a method in small letters',
      endpointFile('method: post'),
      '5:13 method "post": GET or POST expected; did you mean "POST"?',
    ],
    [
      'a method that is not served',
      endpointFile('method: DELETE'),
      '5:13 method "DELETE": GET or POST expected',
    ],
    [
      'a switch of YAML 1.1',
      endpointFile('public: yes'),
      '5:13 public "yes": true or false expected; write true or false, without quotes',
    ],
    [
      'a description that is a number',
      endpointFile('description: 7'),
      '5:18 description 7: text expected; put it in quotes',
    ],
    ['a bad minute', endpointFile('schedule: "75 * * * *"'), '5:16 minute "75": 0-59 expected'],
    [
      'a bad month far inside a folded schedule',
      endpointFile('schedule: >-', '  0 0', '  1 13 *'),
      '7:9 month "13": 1-12 expected',
    ],
    [
      'a schedule that never fires',
      endpointFile('schedule: 0 0 31 2 *'),
      '5:15 "0 0 31 2 *" never fires: there is no day of month 31 in month 2',
    ],
    [
      'a schedule without quotes',
      endpointFile('schedule: */5 * * * *'),
      `5:15 a value that begins with "*" needs quotes: '*/5 * * * *'`,
    ],
    [
      'a schedule and an argument that it cannot give',
      `${argumentFile('required: true')}    schedule: 0 0 * * *\n`,
      '7:9 argument "a" is required, and the schedule passes none; give it a default',
    ],
    [
      'a variable that rules the loader',
      endpointFile('env:', '  LD_PRELOAD: x.so'),
      '6:7 variable "LD_PRELOAD" cannot be set: it decides what a program loads or is, or belongs to svc (decision 12)',
    ],
    [
      'a variable with a dash',
      endpointFile('env: {a-b: c}'),
      '5:11 "a-b" is no name of a variable: letters, digits and "_", the first no digit expected',
    ],
    [
      'a variable left empty',
      endpointFile('env:', '  A:'),
      '6:7 env.A has no value: text, a number, true or false expected',
    ],
    [
      'public, where another person than the caller decides',
      endpointFile('public: true', 'approval_required: true', 'allow_self: false'),
      '5:5 "public: true" does not go with "allow_self: false": without a known caller no other person can be asked (decision 60)',
    ],
    [
      'a schedule, where another person than the caller decides',
      endpointFile('schedule: 0 5 * * *', 'approval_required: true', 'allow_self: false'),
      '5:5 a schedule does not go with "allow_self: false": without a known caller no other person can be asked (decision 60); name approvers instead, or schedule another endpoint',
    ],
    [
      'a variable that a shell acts upon, accepted from a step',
      endpointFile('accepts_env: [COLOUR, BASH_ENV]'),
      '5:27 variable "BASH_ENV" cannot be accepted from a step: a loader, a shell or an interpreter acts upon it (decision 60)',
    ],
    [
      'a hidden value that approvers would sign',
      endpointFile(
        'approval_required: true',
        `approver_keys: [ed25519:${'A'.repeat(43)}]`,
        'args: [{name: pin, secret: true}]',
        'accepts_env: [COLOUR]',
      ),
      '7:24 argument "pin" is secret, and with approver_keys an approver signs every value: use a managed secret',
      '8:5 approvers do not see variables, and with approver_keys they sign all that runs: use an argument',
    ],
    ['variables as a list', endpointFile('env: [A=b]'), '5:10 env is a list: a map of variables expected'],
    [
      'a media type that could begin another header',
      endpointFile('output: raw', 'content_type: "image/png; X-A: b"'),
      '6:19 content_type "image/png; X-A: b": a media type as in image/png expected',
    ],
    [
      'raw output of a transform',
      endpointFile('output: raw', 'transform: {parse: json}'),
      '6:5 a transform makes data, and "output: raw" answers with bytes',
    ],
    [
      'raw output that is merged with stderr',
      endpointFile('output: raw', 'merge: true'),
      '6:5 "output: raw" answers with stdout alone, so stderr stays apart from it',
    ],
    [
      'a media type of text',
      endpointFile('content_type: image/png'),
      '5:5 content_type belongs to "output: raw"',
    ],
    [
      'a URL where a secret or an address is expected',
      endpointFile('alerts: [{events: [execution.failed], target: "https://hooks.example.com/x"}]'),
      '5:51 target "https://hooks.example.com/x": the e-mail address of a member, or $svc:NAME for a secret that holds a URL, expected',
    ],
    [
      'an alert about what is no endpoint',
      endpointFile('alerts: [{events: [agent.offline], target: a@b.c}]'),
      '5:24 events[0] "agent.offline": approval.pending, approval.decided, approval.expired, execution.failed, execution.timed_out, execution.lost, execution.succeeded, execution.recovered, no_success_since or schedule.missed expected',
    ],
    [
      'an alert that waits for a success, but not how long',
      endpointFile('alerts: [{events: [no_success_since], target: a@b.c}]'),
      '5:15 no_success_since needs no_success_mins',
    ],
    [
      'minutes, a channel and a name that do not fit',
      endpointFile(
        'alerts:',
        '  - {events: [execution.lost], target: a@b.c, no_success_mins: 5}',
        '  - {events: [execution.lost], target: a@b.c, channel: slack}',
        '  - {name: "1", events: [execution.lost], target: a@b.c}',
      ),
      '6:51 no_success_mins belongs to the event no_success_since',
      '7:51 channel belongs to the URL in a secret, not to an e-mail address',
      '8:16 alert "1" is declared twice in this endpoint',
    ],
    [
      'a body that has no sender',
      endpointFile('stdin: body', 'schedule: "0 0 * * *"', 'method: GET', 'agent_name: hosted'),
      '6:5 "stdin: body" streams the body of a call to its command, and a schedule sends none',
      '7:5 a GET has no body, and "stdin: body" streams the body of a call to its command; use POST',
      '8:5 "stdin: body" streams the body of a call to its command on an agent of yours; the hosted runner takes none',
    ],
    [
      'a file that has no sender',
      endpointFile(
        'args: [{name: image, type: file, required: true}]',
        'schedule: "0 0 * * *"',
        'method: GET',
      ),
      '5:38 argument "image" is required, and the schedule passes none; give it a default',
      '6:5 argument "image" is a file, and a schedule sends none',
      '7:5 argument "image" is a file, and a GET has no body; use POST',
    ],
    ['the length of no body', endpointFile('max_stdin: 5'), '5:5 max_stdin belongs to "stdin: body"'],
    [
      'a transformer by its name',
      endpointFile('transform: json'),
      '5:16 transform "json": parse and its settings expected',
    ],
    [
      'a misspelt kind',
      endpointFile('transform: {parse: jsn}'),
      '5:24 transform.parse "jsn": json, ndjson, lines, csv, tsv, table, kv, ini, yaml, regex or jc expected; did you mean "json"?',
    ],
    [
      'a pattern too many',
      endpointFile('transform: {parse: json, pattern: x}'),
      '5:30 pattern belongs to "parse: regex", not to "parse: json"',
    ],
    [
      'columns of a kind without any',
      endpointFile('transform: {parse: yaml, columns: [a]}'),
      '5:30 columns belongs to "parse: csv", "parse: tsv", "parse: table", not to "parse: yaml"',
    ],
    [
      'a kind of jc without its name',
      endpointFile('transform: {parse: jc}'),
      '5:24 parse "jc" needs a parser: the name of a parser of jc, such as dig',
    ],
    [
      'a pattern too few',
      endpointFile('transform: {parse: regex}'),
      '5:24 parse "regex" needs a pattern: a regular expression with named groups',
    ],
    [
      'a pattern that is broken',
      endpointFile("transform: {parse: regex, pattern: '(?<a>'}"),
      '5:40 pattern: Invalid regular expression: missing )',
    ],
    [
      'a pattern without names',
      endpointFile("transform: {parse: regex, pattern: '(a)'}"),
      '5:40 pattern has no named group, such as (?<name>...)',
    ],
    [
      'an empty jq program',
      endpointFile('transform: {parse: json, select: ""}'),
      '5:38 transform.select "": a jq program expected',
    ],
    [
      'a schema of a result that is no object',
      endpointFile('transform: {parse: lines, schema: {type: array}}'),
      '5:31 schema.type: object expected, because a result is an object with names',
    ],
    [
      'a schema of a result with a reference',
      endpointFile(
        'transform: {parse: json, schema: {type: object, properties: {a: {$ref: "https://example.com/a.json"}}}}',
      ),
      '5:30 schema.properties.a.$ref is no keyword that svc checks; type, enum, const, required, dependentRequired, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, minItems, maxItems, minProperties, maxProperties, items, additionalProperties, propertyNames, contains, not, if, then, else, anyOf, oneOf, allOf, prefixItems, properties, dependentSchemas are',
    ],
    [
      'a schema with an address in an annotation',
      endpointFile('transform: {parse: json, schema: {type: object, examples: {$id: "http://["}}}'),
      '5:30 the schema cannot be read as JSON Schema: its annotations have no $id',
    ],
    [
      'a schema of a result that is too long',
      endpointFile(`transform: {parse: json, schema: {type: object, title: ${'x'.repeat(8_200)}}}`),
      '5:30 the schema has more than 8192 characters as JSON',
    ],
    [
      'a schema of a result that may be raw',
      endpointFile('transform: {parse: json, schema: {type: object}, on_error: raw}'),
      '5:30 schema promises data, so "on_error: raw" cannot stand beside it',
    ],
    [
      'an approver without a domain',
      endpointFile('approval_required: true', 'approvers: [admin, eve]'),
      '6:24 approvers[1] "eve": owner, admin, member or an e-mail address expected',
    ],
    [
      'nobody to approve',
      endpointFile('approval_required: true', 'approvers: []'),
      '6:16 approvers is a list: at least one role or e-mail address expected',
    ],
    [
      'a callback to a mail',
      endpointFile('callback_url: mailto:a@b.c'),
      '5:19 callback_url "mailto:a@b.c": an address that begins with http:// or https:// expected',
    ],
    [
      'an alias of nothing',
      endpointFile('timeout: *t'),
      '5:14 alias "*t" names no anchor before it; put a value that begins with "*" in quotes',
    ],
  ];
  for (const [mistake, yaml, ...problems] of table) {
    test(`${mistake}: ${problems.join(' | ')}`, () => {
      expect(problemsOf(yaml)).toEqual(problems);
    });
  }
});

describe('the mistakes of an argument', () => {
  const table: [mistake: string, lines: string[], ...problems: string[]][] = [
    ['an unknown key', ['requierd: true'], '7:9 unknown key "requierd": did you mean "required"?'],
    [
      'an unknown type',
      ['type: int'],
      '7:15 type "int": word, integer, number, boolean, enum, path, url, ref, text, code, list, json or file expected',
    ],
    [
      'a switch as text',
      ['required: "true"'],
      '7:19 required "true": true or false expected; write true or false, without quotes',
    ],
    [
      'a default left empty',
      ['default:'],
      '7:9 default has no value: text, a number, true or false, or for a list a list of them expected',
    ],
    [
      'a default of another type',
      ['type: integer', 'default: 1.5'],
      '8:18 argument "a": "1.5" is not an integer, as in 42',
    ],
    [
      'a default that is no choice',
      ['choices: [b, c]', 'default: d'],
      '8:18 argument "a": "d" is not one of b, c',
    ],
    [
      'a default that is too long',
      ['max_length: 2', 'default: abc'],
      '8:18 argument "a": 3 characters are too many: at most 2 are accepted',
    ],
    ['no choices', ['choices: []'], '7:18 choices is a list: at least one value expected'],
    [
      'a choice that is a list',
      ['choices: [b, [c]]'],
      '7:22 choices[1] is a list: text, a number, true or false expected',
    ],
    ['a choice listed twice', ['choices: [b, b]'], '7:18 argument "a": "b" is listed twice'],
    [
      'choices of a text',
      ['type: text', 'choices: [b]'],
      '8:18 argument "a": choices need "type: enum", not "type: text"',
    ],
    [
      'a root of a text',
      ['type: text', 'root: x'],
      '8:15 argument "a": root needs "type: path", not "type: text"',
    ],
    ['hosts without a type', ['hosts: [x]'], '7:16 argument "a": hosts needs "type: url" beside it'],
    [
      'a scheme with its colon',
      ['type: url', 'schemes: ["https:"]'],
      '8:19 schemes[0] "https:": a scheme as in https, in lower-case letters, expected',
    ],
    [
      'a host with a path',
      ['type: url', 'hosts: [a.test/x]'],
      '8:17 hosts[0] "a.test/x": a host as in example.com or *.example.com, in lower-case letters, expected',
    ],
    [
      'a default that is no word',
      ['type: word', 'default: a b'],
      '8:18 argument "a": "a b" is not a word; the argument accepts 1 to 255 letters, digits, ".", "_" or "-", the first ' +
        'neither "-" nor "."; the owner can allow more with "type: text" at this argument in svc.yaml',
    ],
    [
      'an enum without choices',
      ['type: enum'],
      '7:15 argument "a": "type: enum" needs choices: a list of the accepted values',
    ],
    ['an open group', ['pattern: "ab(c"'], '7:21 argument "a": this ( is never closed'],
  ];
  for (const [mistake, lines, ...problems] of table) {
    test(`${mistake}: ${problems.join(' | ')}`, () => {
      expect(problemsOf(argumentFile(...lines))).toEqual(problems);
    });
  }

  test('a name that stands twice, or becomes the same variable as another', () => {
    const lines = ['args:', ...['dry-run', 'b', 'dry_run', 'b', 'b'].map((name) => `  - name: ${name}`)];
    expect(problemsOf(endpointFile(...lines))).toEqual([
      '8:15 argument "dry_run" and "dry-run" both become the variable SVC_ARG_DRY_RUN',
      '9:15 argument "b" stands twice',
      '10:15 argument "b" stands twice',
    ]);
  });

  test('keys that depend on a misshapen key are not reported as well', () => {
    expect(problemsOf(argumentFile('type: enum', 'choices: b', 'default: c'))).toEqual([
      '8:18 choices "b": a list of values expected',
    ]);
    const yaml = 'version: 1\nendpoints:\n  - {name: x, command: "echo {{a}}", args: [{nam: a}]}\n';
    expect(problemsOf(yaml)).toEqual(['3:46 unknown key "nam": did you mean "name"?']);
  });

  test('beside one without a name is reported at its own place', () => {
    const lines = ['schedule: 0 4 * * 1', 'args:', '  - {nam: b}', '  - {name: a, required: true}'];
    expect(problemsOf(endpointFile(...lines))).toEqual([
      '7:10 unknown key "nam": did you mean "name"?',
      '8:19 argument "a" is required, and the schedule passes none; give it a default',
    ]);
  });

  test('a default that the command would take for an option', () => {
    const yaml =
      'version: 1\nendpoints:\n  - name: x\n    command: ls {{a}}\n    args: [{name: a, type: text, default: -l}]\n';
    expect(problemsOf(yaml).map((problem) => problem.slice(0, 59))).toEqual([
      '5:43 argument "a": the value begins with "-", which the com',
    ]);
  });
});

test('the hosted runner can keep no root', () => {
  const lines = ['agent_name: hosted', 'args: [{name: a, type: path, root: x}]'];
  expect(problemsOf(endpointFile(...lines))).toEqual([
    '6:34 argument "a": the hosted runner has no folders of yours, so it can keep no root; leave "root" out',
  ]);
});
