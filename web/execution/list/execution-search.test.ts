import { describe, expect, test } from 'bun:test';
import { queryOf, readExecutionSearch } from './execution-search.ts';
import { groupState, STATE_GROUPS, withGroup } from './state-groups.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const [running, , , failed] = STATE_GROUPS;

describe('the filters of the list', () => {
  test('are read from an address; what is no filter is left out', () => {
    const search = {
      endpoint: 'deploy',
      status: 'failed,nonsense,lost',
      trigger: 'schedule',
      arg: 'branch=main',
      range: 'week',
      from: '2026-11-20T10:00:00Z',
      until: 'tomorrow',
      agent: '',
      caller: 7,
      page: '2',
    };
    expect(readExecutionSearch(search)).toEqual({
      endpoint: 'deploy',
      status: 'failed,lost',
      trigger: 'schedule',
      arg: 'branch=main',
      range: 'week',
      from: '2026-11-20T10:00:00Z',
    });
    expect(readExecutionSearch({ arg: 'branch', range: 'constructor' })).toEqual({});
  });

  test('are what the API takes: a range begins before now, a part of it where it says', () => {
    expect(queryOf({ range: 'day', status: 'failed,lost' }, NOW_MS)).toEqual({
      from: '2026-11-19T12:00:00.000Z',
      status: ['failed', 'lost'],
    });
    const part = { from: '2026-11-20T10:00:00Z', until: '2026-11-20T11:00:00Z' };
    expect(queryOf({ range: 'day', ...part }, NOW_MS)).toEqual(part);
    expect(queryOf({}, NOW_MS)).toEqual({});
  });
});

test('a group of states is added as a whole, and taken away as a whole', () => {
  expect(withGroup({}, failed)).toBe('failed,timed_out,lost');
  expect(groupState({ status: 'lost' }, failed)).toBe('some');
  expect(withGroup({ status: 'running,lost' }, failed).split(',').toSorted()).toEqual([
    'failed',
    'lost',
    'running',
    'timed_out',
  ]);
  const both = withGroup({ status: withGroup({}, failed) }, running);
  expect(groupState({ status: both }, failed)).toBe('all');
  expect(withGroup({ status: both }, failed)).toBe('running');
});
