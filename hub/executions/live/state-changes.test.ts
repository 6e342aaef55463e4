import { expect, test } from 'bun:test';
import { StateChanges } from './state-changes.ts';

const STILL = { nowMs: () => 0, at: () => () => {} };

test('a local change wakes the waiting caller, and is published to other hubs', async () => {
  const published: string[] = [];
  const changes = new StateChanges(STILL, (id) => void published.push(id));
  const { happened } = changes.next('e');
  changes.changed('e');
  await happened;
  expect(published).toEqual(['e']);
});

test('a remote change wakes the waiting caller, and is not published again', async () => {
  const published: string[] = [];
  const notify: string[] = [];
  const changes = new StateChanges(STILL, (id) => void published.push(id));
  changes.onChange((id) => void notify.push(id));
  const { happened } = changes.next('e');
  changes.notify('e');
  await happened;
  expect([published, notify]).toEqual([[], ['e']]);
});
