import { describe, expect, test } from 'bun:test';
import { afterScroll } from './following.ts';

const following = { isFollowing: true, top: 900 };

describe('following', () => {
  test('stops when the person scrolls up, by however little', () => {
    expect(afterScroll(following, { top: 880, height: 100, total: 1000 }).isFollowing).toBe(false);
  });

  test('continues while output grows faster than the view scrolls', () => {
    expect(afterScroll(following, { top: 950, height: 100, total: 5000 }).isFollowing).toBe(true);
  });

  test('begins again at the end, and only there', () => {
    const reading = { isFollowing: false, top: 100 };
    expect(afterScroll(reading, { top: 500, height: 100, total: 1000 }).isFollowing).toBe(false);
    expect(afterScroll(reading, { top: 895, height: 100, total: 1000 }).isFollowing).toBe(true);
  });

  test('stays paused when the event of an earlier jump to the end arrives', () => {
    const paused = { isFollowing: false, top: 900 };
    expect(afterScroll(paused, { top: 900, height: 100, total: 1000 }).isFollowing).toBe(false);
  });

  test('stays paused while the person leaves, though a jump to the end arrives before their first movement', () => {
    const leaving = { isFollowing: false, top: 880, isLeaving: true };
    const jumped = afterScroll(leaving, { top: 900, height: 100, total: 1000 });
    expect(jumped.isFollowing).toBe(false);
    const left = afterScroll(jumped, { top: 860, height: 100, total: 1000 });
    expect(left.isFollowing).toBe(false);
    expect(afterScroll(left, { top: 900, height: 100, total: 1000 }).isFollowing).toBe(true);
  });

  test('survives that output is taken away', () => {
    expect(afterScroll(following, { top: 400, height: 100, total: 500 }).isFollowing).toBe(true);
  });
});
