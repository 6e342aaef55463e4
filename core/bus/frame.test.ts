import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { LiveEvent } from '../live-event/live-event.ts';
import { wireLiveEvent } from '../live-event/wire.ts';
import { BUS_FRAME_CHARS, BUS_IDS, type BusFrame, decodeBusFrame, encodeBusFrame } from './frame.ts';

const W = '0198a1b2-0000-7000-8000-000000000001';
const NEWS: readonly LiveEvent[] = [
  { kind: 'execution', executionId: W, slug: 's', state: 'rejected', reason: 'quota', trigger: 'call' },
  { kind: 'execution', executionId: W, slug: 's', state: 'running', reason: undefined, trigger: undefined },
  { kind: 'executions', count: 3 },
  { kind: 'approval', approvalId: W, executionId: W, slug: 's', state: 'pending' },
  { kind: 'agent', agentName: 'a', isConnected: false },
  { kind: 'pipeline_run', runId: W, slug: 'p', state: 'succeeded' },
  { kind: 'pipeline_node', runId: W, nodeId: 'n', state: 'running', executionId: undefined },
  { kind: 'quota', percent: 80, used: 800, period: '2026-11' },
  { kind: 'change', action: 'secret.set', target: { kind: 'secret', id: W, name: 'é "quoted"\n' } },
];
const FRAMES: readonly BusFrame[] = [
  { type: 'here', workspaces: [W], isFirst: true, asks: true },
  { type: 'listens', workspaceId: W, isOn: false },
  { type: 'leaves' },
  { type: 'news', bundle: 'overfull' },
  { type: 'forget', what: { kind: 'workspace', id: W } },
  { type: 'forget', what: { kind: 'key', id: W } },
  { type: 'forget', what: { kind: 'keys_of_user', userId: W } },
  { type: 'forget', what: { kind: 'keys_of_workspace', workspaceId: W } },
  { type: 'forget', what: { kind: 'endpoints', workspaceId: W } },
  { type: 'forget', what: { kind: 'pipelines', workspaceId: W } },
  { type: 'changed', ids: [W, W] },
  { type: 'cancel_asked', executionId: W },
  { type: 'run_cancel_asked' },
  { type: 'waits', workspaceId: W },
  { type: 'review' },
  { type: 'agents', workspaceIds: [W] },
  { type: 'hosts' },
  { type: 'take', executionId: W, feed: W },
  { type: 'take', executionId: W },
  { type: 'call', executionId: W, workspaceId: W, sealed: 'v1.x.y.z', feed: W },
  { type: 'called', outcome: { as: 'running', fed: { fromSeq: 1 } } },
  { type: 'called', outcome: { as: 'repeated', executionId: W, requestHash: 'v1.x.y.z' } },
  { type: 'called', outcome: { as: 'refused', code: 'quota_exceeded', message: 'm', details: { limit: 1 } } },
  { type: 'called', outcome: { as: 'left' } },
  { type: 'follow', executionId: W, feed: W },
  { type: 'fed', feed: W, bytes: 1 },
  { type: 'unfollow', feed: W },
  {
    type: 'tail',
    tail: W,
    workspaceId: W,
    filter: { keyId: W, slug: 's', agentName: 'é', stream: 'stderr', text: '"' },
  },
  { type: 'tail', tail: W, workspaceId: W, filter: {} },
  { type: 'untail', tail: W },
  { type: 'done' },
  { type: 'taken', as: 'begun', fed: { fromSeq: 1 } },
  { type: 'taken', as: 'no_agent' },
  { type: 'feeds', fed: { fromSeq: 7 } },
];

describe('a frame between hubs', () => {
  test('comes out as it went in', () => {
    for (const frame of FRAMES)
      expect(decodeBusFrame(encodeBusFrame('hub', frame) ?? '')).toEqual({
        kind: 'frame',
        from: 'hub',
        frame,
      });
  });

  test('carries live events of every kind, which dashboards get like those of their own hub', () => {
    const text = encodeBusFrame('hub', { type: 'news', bundle: [...NEWS] });
    const decoded = decodeBusFrame(text ?? '');
    if (decoded.kind !== 'frame' || decoded.frame.type !== 'news') throw new Error('no news');
    const { bundle } = decoded.frame;
    expect(bundle === 'overfull' ? [] : bundle.map(wireLiveEvent)).toEqual(NEWS.map(wireLiveEvent));
  });

  test('holds the maximum number of ids, and not one more', () => {
    const full = { type: 'changed', ids: Array.from({ length: BUS_IDS }, () => W) } as const;
    expect(decodeBusFrame(encodeBusFrame('hub', full) ?? '').kind).toBe('frame');
    const overfull = { ...full, ids: [...full.ids, W] };
    expect(decodeBusFrame(encodeBusFrame('hub', overfull) ?? '').kind).toBe('refused');
  });

  test('is not made when it is too long', () => {
    const bundle: LiveEvent[] = [
      { kind: 'agent', agentName: 'x'.repeat(BUS_FRAME_CHARS), isConnected: true },
    ];
    expect(encodeBusFrame('hub', { type: 'news', bundle })).toBeUndefined();
  });

  test('has ids that mean nothing in a subject', () => {
    for (const id of ['', 'a.b', '*', '>', 'a b', 'a\r\nPUB x', 'x'.repeat(65)])
      expect(decodeBusFrame(encodeBusFrame('hub', { type: 'waits', workspaceId: id }) ?? '').kind).toBe(
        'refused',
      );
  });

  test('is refused, and nothing thrown, whatever else it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.json().map(enveloped)), (text) => {
        expect(decodeBusFrame(text)).toEqual({ kind: 'refused' });
      }),
    );
  });
});

function enveloped(json: string): string {
  return `{"v":1,"from":"hub","frame":${json}}`;
}
