import { expect, test } from 'bun:test';
import { domainToASCII } from 'node:url';
import { punycode, shownAddress, withShownAddresses } from './shown-address.ts';

const CYRILLIC_A = '\u0430';

test.each([
  'ada@example.com',
  'jörg.müller@bücher.example',
  'почта@пример.рф',
  'δοκιμή@παράδειγμα.gr',
  '山田さんカ@例え.jp',
  '김철수漢@예시.kr',
  'mail2-漢字@中文.cn',
  'no address at all',
])('%s, one script in each part, is shown unchanged', (address) => {
  expect(shownAddress(address)).toBe(address);
  expect(withShownAddresses(address)).toBe(address);
});

test.each([
  [`${CYRILLIC_A}dmin@example.com`, 'xn--dmin-43d@example.com'],
  [`ada@ex${CYRILLIC_A}mple.com`, 'ada@xn--exmple-4nf.com'],
  ['p\u0430ypal.ada@x.com', 'xn--pypal-4ve.ada@x.com'],
  ['a\u03bfb@x.com', `xn--${punycode('a\u03bfb')}@x.com`],
])('%s mixes scripts and is shown in punycode', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
  expect(withShownAddresses(`the key ci of ${address}, who asked`)).toBe(`the key ci of ${shown}, who asked`);
});

test('punycode is that of the platform', () => {
  for (const label of [
    'bücher',
    'пример',
    '例え',
    `ex${CYRILLIC_A}mple`,
    '中文',
    'παράδειγμα',
    '예시',
    'ab\u0301c\u0436',
  ])
    expect(`xn--${punycode(label.normalize('NFC'))}`).toBe(domainToASCII(label));
});
