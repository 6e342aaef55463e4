import { expect, test } from 'bun:test';
import type { HubEvent } from '@svc/core/event/hub-event';
import { createStore } from '../../build/create-store.ts';
import { EventStream } from '../event-stream.ts';
import type { OpenDatabase } from './database.ts';
import { newExecution, quota, STORE_OPTIONS, succeeded } from './fixtures/samples.ts';
import { onBothDatabases } from './fixtures/stores.ts';
import { publishing } from './publishing-database.ts';
import { makingStale, withEvent } from './unit/statement.ts';

onBothDatabases(({ newLocation }) => {
  test('the events of an execution are published after their commits, and a refused unit publishes none', async () => {
    const published: HubEvent[] = [];
    const events = new EventStream(() => undefined);
    events.subscribe(['execution_accepted', 'execution_begun', 'execution_finished'], (event) =>
      published.push(event),
    );
    await using store = await createStore(await newLocation(), { ...STORE_OPTIONS, events });
    const { executions } = store;
    const execution = newExecution({ state: 'queued' });
    const { id } = execution;
    const stored: number[] = [];
    events.subscribe('execution_accepted', () => stored.push(store.figures.units));
    expect(await executions.accept(execution, { ...quota(), limit: 1 })).toEqual({ kind: 'stored' });
    expect((await executions.accept(newExecution(), { ...quota(), limit: 1 })).kind).toBe('quota_exceeded');
    expect(stored).toEqual([1]);
    const to = { name: 'a', instance: 'i', boot: 'b', hubId: 'h', nowMs: 1 };
    expect(await executions.begin(id, to)).toBe(true);
    expect(await executions.finish(succeeded(id), [])).toBe(true);
    expect(await executions.finish(succeeded(id), [])).toBe(false);
    expect(published).toEqual([
      { kind: 'execution_accepted', execution },
      { kind: 'execution_begun', executionId: id },
      { kind: 'execution_finished', executionId: id },
    ]);
  });

  test('an accepted execution is published again when the answer of the first attempt was lost', async () => {
    const published: string[] = [];
    const events = new EventStream(() => undefined);
    await using store = await createStore(await newLocation(), { ...STORE_OPTIONS, events });
    const execution = newExecution();
    await store.executions.accept(execution, quota());
    events.subscribe('execution_accepted', (event) => published.push(event.execution.id));
    expect(await store.executions.accept(execution, quota())).toMatchObject({ wasThere: true });
    expect(published).toEqual([execution.id]);
  });
});

test('a commit that failed or was refused makes lookups stale, and publishes nothing else', async () => {
  const published: string[] = [];
  const stream = new EventStream(() => undefined);
  stream.subscribe(['lookups_stale', 'execution_begun'], ({ kind }) => published.push(kind));
  const text = { sql: 'x' };
  const unit = makingStale([{ text, values: [] }], { kind: 'key', id: 'k' });
  const begun = withEvent({ text, values: [] }, { kind: 'execution_begun', executionId: 'e' });
  const after = async (commit: () => Promise<string>) => {
    const database = publishing({ commit } as Partial<OpenDatabase> as OpenDatabase, stream);
    await database.commit([...unit, begun]).catch(() => undefined);
    return published.splice(0);
  };
  expect(await after(() => Promise.reject(new Error('the answer was lost')))).toEqual(['lookups_stale']);
  expect(await after(() => Promise.resolve('not_queued'))).toEqual(['lookups_stale']);
  expect(await after(() => Promise.resolve('stored'))).toEqual(['lookups_stale', 'execution_begun']);
});
