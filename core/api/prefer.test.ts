import { describe, expect, test } from 'bun:test';
import { readPrefer } from './prefer.ts';

describe('Prefer', () => {
  test('without the header nothing is wished', () => {
    expect(readPrefer(null)).toEqual({ respondAsync: false, failStatus: false, waitSec: undefined });
  });

  test.each([
    ['respond-async', { respondAsync: true, failStatus: false, waitSec: undefined }],
    ['Respond-Async', { respondAsync: true, failStatus: false, waitSec: undefined }],
    ['wait=10', { respondAsync: false, failStatus: false, waitSec: 10 }],
    ['wait = "10"', { respondAsync: false, failStatus: false, waitSec: 10 }],
    ['wait=0', { respondAsync: false, failStatus: false, waitSec: 0 }],
    ['respond-async, wait=5; x=1', { respondAsync: true, failStatus: false, waitSec: 5 }],
    ['Fail-Status, wait=5', { respondAsync: false, failStatus: true, waitSec: 5 }],
    ['wait=5, wait=9', { respondAsync: false, failStatus: false, waitSec: 5 }],
  ] as const)('%p is understood', (header, expected) => {
    expect(readPrefer(header)).toEqual(expected);
  });

  test.each(['', 'wait', 'wait=soon', 'wait=-1', 'wait=1.5', 'return=minimal', ',,;'])(
    '%p asks for nothing',
    (header) => {
      expect(readPrefer(header)).toEqual({ respondAsync: false, failStatus: false, waitSec: undefined });
    },
  );
});
