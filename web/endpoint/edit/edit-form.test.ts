import { describe, expect, test } from 'bun:test';
import { EXAMPLE_ENDPOINT } from '@svc/core/api/routes/endpoint-schemas';
import { checkDefinition } from '@svc/core/config/definition/check-definition';
import { draftProblems } from './draft-problems.ts';
import { changesBetween, draftedDefinition } from './drafted-definition.ts';
import { type EndpointDraft, endpointDraftOf, NEW_ARGUMENT, NEW_ENDPOINT } from './endpoint-draft.ts';

const DRAFT: EndpointDraft = { ...NEW_ENDPOINT, name: 'deploy', command: './deploy.sh {{branch}}' };
const problemsOf = (draft: Partial<EndpointDraft>) =>
  Object.fromEntries(
    [...draftProblems({ ...DRAFT, ...draft })].map(([field, problems]) => [
      field,
      problems.map(({ message }) => message),
    ]),
  );

describe('the form of an endpoint', () => {
  test('says nothing of what the API accepts', () => {
    expect(problemsOf({ args: [{ ...NEW_ARGUMENT, name: 'branch' }] })).toEqual({});
  });

  test('sends nothing that was left empty', () => {
    expect(draftedDefinition(DRAFT)).toEqual({ name: 'deploy', command: './deploy.sh {{branch}}' });
  });

  test.each<[string, Partial<EndpointDraft>, string, string]>([
    ['a name', { name: 'Deploy it' }, 'name', 'lower-case letters'],
    ['no command', { command: '' }, 'command', 'a command line expected'],
    [
      'a value that would be code',
      { command: 'eval {{x}}', args: [{ ...NEW_ARGUMENT, name: 'x' }] },
      'command',
      'x',
    ],
    ['a time', { timeout: 'soon' }, 'timeout', 'whole seconds'],
    ['a time', { timeout: '0' }, 'timeout', 'whole seconds'],
    ['a schedule', { schedule: '61 * * * *' }, 'schedule', '0-59'],
    ['a variable', { env: [{ name: 'PATH', value: '/' }] }, 'env', 'PATH'],
    ['an argument', { args: [{ ...NEW_ARGUMENT, name: '1' }] }, 'args.0.name', 'a letter'],
    [
      'a default',
      { args: [{ ...NEW_ARGUMENT, name: 'n', type: 'integer', default: 'x' }] },
      'args.0.default',
      'integer',
    ],
    ['no choices', { args: [{ ...NEW_ARGUMENT, name: 'n', type: 'enum' }] }, 'args.0.type', 'choices'],
    ['a pattern', { args: [{ ...NEW_ARGUMENT, name: 'n', pattern: '(' }] }, 'args.0.pattern', ''],
    ['an approver', { approval_required: true, approvers: 'bob' }, 'approvers', 'e-mail address'],
    [
      'a transform',
      { transform: { ...NEW_ENDPOINT.transform, parse: 'regex' } },
      'transform.parse',
      'pattern',
    ],
  ])('shows at its field what is wrong with %s', (_, draft, field, words) => {
    const problems = problemsOf(draft);
    expect(Object.keys(problems)).toContain(field);
    expect(problems[field]?.join()).toContain(words);
  });

  test('shows where in the command a problem is', () => {
    const draft = { ...DRAFT, command: 'echo hi; eval {{x}}', args: [{ ...NEW_ARGUMENT, name: 'x' }] };
    expect(draftProblems(draft).get('command')?.[0]?.offset).toBeGreaterThan(8);
  });

  test('holds an endpoint so that nothing changes when nothing was changed', () => {
    const definition = draftedDefinition(
      endpointDraftOf(EXAMPLE_ENDPOINT as Parameters<typeof endpointDraftOf>[0]),
    );
    expect(checkDefinition(definition).kind).toBe('endpoint');
    expect(changesBetween(definition, definition)).toEqual({});
    expect(definition).toMatchObject({ name: 'deploy', method: 'POST', timeout: 90, max_concurrent: 1 });
  });

  test('keeps the keys of a transform that it has no field for', () => {
    const transform = { parse: 'table', columns: ['a', 'b'], skip: 1, on_error: 'fail' };
    const endpoint = { ...EXAMPLE_ENDPOINT, transform } as Parameters<typeof endpointDraftOf>[0];
    expect(draftedDefinition(endpointDraftOf(endpoint)).transform).toEqual({
      parse: 'table',
      columns: ['a', 'b'],
      skip: 1,
    });
  });

  test('keeps the list of an argument that another endpoint makes', () => {
    const given = { name: 'branch', type: 'word', required: true, secret: false, allow_dash: false };
    const list = {
      choices_from: 'branches',
      choices_args: { repo: 'repo' },
      choices_ttl: 60,
      choices_check: false,
    };
    const endpoint = { ...EXAMPLE_ENDPOINT, args: [{ ...given, ...list }] };
    const draft = endpointDraftOf(endpoint as unknown as Parameters<typeof endpointDraftOf>[0]);
    const [argument] = draft.args;
    const changed = { ...draft, args: [{ ...(argument ?? NEW_ARGUMENT), description: 'to deploy' }] };
    expect(changesBetween(draftedDefinition(draft), draftedDefinition(changed))).toMatchObject({
      args: [{ ...list, name: 'branch', description: 'to deploy' }],
    });
  });

  test('does not touch the keys that it has no field for when it saves', () => {
    const keys = { effects: 'read', idempotent: true, mcp: false } as const;
    const transform = { parse: 'csv', header: false, columns: ['a'], delimiter: ';', skip: 2, until: 'end' };
    const endpoint = { ...EXAMPLE_ENDPOINT, ...keys, transform: { ...transform, on_error: 'fail' } };
    const before = endpointDraftOf(endpoint as Parameters<typeof endpointDraftOf>[0]);
    const changed = (part: Partial<EndpointDraft>) =>
      changesBetween(draftedDefinition(before), draftedDefinition({ ...before, ...part }));
    expect(changed({ timeout: '5' })).toEqual({ timeout: 5 });
    expect(changed({ transform: { ...before.transform, select: '.a' } })).toEqual({
      transform: { ...transform, select: '.a' },
    });
  });

  test('sends what differs, and null for what is gone', () => {
    const before = draftedDefinition({ ...DRAFT, timeout: '5', public: true });
    const after = draftedDefinition({ ...DRAFT, timeout: '6', schedule: '0 3 * * *' });
    expect(changesBetween(before, after)).toEqual({ timeout: 6, public: null, schedule: '0 3 * * *' });
  });
});
