import { expect, test } from 'bun:test';
import { StateChanges } from './state-changes.ts';

const STILL = { nowMs: () => 0, at: () => () => {} };

test('whoever waits is woken by a change that was made here, and others are told of it', async () => {
  const published: string[] = [];
  const changes = new StateChanges(STILL, (id) => void published.push(id));
  const { happened } = changes.next('e');
  changes.changed('e');
  await happened;
  expect(published).toEqual(['e']);
});

test('whoever waits is woken by a change that was made elsewhere, and nobody is told of it again', async () => {
  const published: string[] = [];
  const notify: string[] = [];
  const changes = new StateChanges(STILL, (id) => void published.push(id));
  changes.onChange((id) => void notify.push(id));
  const { happened } = changes.next('e');
  changes.notify('e');
  await happened;
  expect([published, notify]).toEqual([[], ['e']]);
});
