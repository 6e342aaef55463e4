import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { archiveNames } from './archive-names.ts';

test.each([
  [
    ['dist/app.zip', 'a b/ü😀.txt', '.env'],
    ['dist/app.zip', 'a b/ü😀.txt', '.env'],
  ],
  [
    ['C:/x', 'a:stream', 'what?*.txt', '"<a>|'],
    ['C_/x', 'a_stream', 'what__.txt', '__a__'],
  ],
  [
    ['end.', 'folder. /x ', '...'],
    ['end_', 'folder__/x_', '___'],
  ],
  [
    ['con', 'NUL.txt', 'a/lpt1.tar.gz', 'console'],
    ['_con', '_NUL.txt', 'a/_lpt1.tar.gz', 'console'],
  ],
  [
    ['app.zip', 'App.zip', 'APP.zip', 'Ä', 'A\u0308'],
    ['app.zip', 'App (2).zip', 'APP (3).zip', 'Ä', 'A\u0308 (2)'],
  ],
  [
    ['a', 'A/b', 'A/c', 'x/y', 'X'],
    ['a', 'A (2)/b', 'A (2)/c', 'x/y', 'X (2)'],
  ],
  [
    ['a?', 'a*', 'a_'],
    ['a_', 'a_ (2)', 'a_ (3)'],
  ],
])('names %p in an archive as %p', (names, expected) => expect(archiveNames(names)).toEqual(expected));

test('gives each file a name of its own, which is no folder, where upper and lower case are the same', () => {
  const part = fc.stringMatching(/^[aAb.:c ]{1,4}$/).filter((one) => !/^\.{1,2}$/.test(one));
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), (names) => {
      const given = archiveNames(names).map((one) => one.toLowerCase());
      expect(new Set(given).size).toBe(names.length);
      const folders = new Set(
        given.flatMap((one) => one.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))),
      );
      expect(given.filter((one) => folders.has(one))).toEqual([]);
    }),
  );
});

test('takes no time of the square of the names that become the same', () => {
  const names = Array.from({ length: 500 }, (_, at) =>
    at.toString(2).replaceAll('0', '?').replaceAll('1', '*'),
  );
  const same = names.map((name) => `a/${name.padStart(9, '?')}`);
  const looks = spyOn(String.prototype, 'normalize');
  try {
    expect(new Set(archiveNames(same)).size).toBe(500);
    expect(looks.mock.calls.length).toBeLessThan(5_000);
  } finally {
    looks.mockRestore();
  }
});
