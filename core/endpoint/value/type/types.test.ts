import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Argument } from '../../definition.ts';
import { checkValue, passedValue } from '../check-value.ts';
import { isWord, refProblem } from './type-problem.ts';
import { readUrl } from './url.ts';

const argument = (more: Partial<Argument> = {}): Argument => ({
  name: 'x',
  required: true,
  type: 'word',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});

describe('a word', () => {
  test.each(['a', '_', '9', 'v1.2.3', 'a-b_c.d', 'A', 'x'.repeat(255)])('is %s', (value) => {
    expect(isWord(value)).toBe(true);
  });
  test.each([
    '',
    '-a',
    '.a',
    'a b',
    'a/b',
    'é',
    'a\n',
    '\na',
    'a:b',
    'a=b',
    'a@b',
    '+a',
    'a,b',
    'x'.repeat(256),
  ])('is not %j', (value) => expect(isWord(value)).toBe(false));

  test('says what it accepts, and the line that allows more', () => {
    expect(checkValue(argument({ inferred: true }), 'a b')).toBe(
      '"a b" is not a word; the argument accepts 1 to 255 letters, digits, ".", "_" or "-", the first neither "-" nor "."; ' +
        'the owner can allow more with "type: text" at this argument in svc.yaml',
    );
    expect(checkValue(argument({ secret: true }), 'S3cr3t!')).toStartWith('the value is not a word;');
  });
});

describe('a path', () => {
  const path = argument({ type: 'path' });
  test.each(['a', '/etc/hosts', 'a b/c', '../x', './-x', ' ', '\n'])('is %j', (value) => {
    expect(checkValue(path, value)).toBeUndefined();
  });
  test.each<[string, string]>([
    ['', '"" is empty;'],
    ['-rf', '"-rf" begins with "-";'],
    ['~/x', '"~/x" begins with "~";'],
    ['a\0b', 'a NUL character'],
  ])('is not %j', (value, message) => {
    expect(checkValue(path, value)).toStartWith(message);
  });
});

describe('a ref', () => {
  // From the rules in git's own documentation (git-check-ref-format).
  test.each(['main', 'feature/x', 'v1.0', 'a@b', '日本', 'a-b', 'x.lockd', '@x', 'HEAD'])(
    'is %s',
    (value) => {
      expect(refProblem(value)).toBeUndefined();
    },
  );
  const refused = ['', '@', '/a', 'a/', 'a//b', '.a', 'a/.b', 'a.lock', 'a.lock/b', 'a..b', 'a.', 'a@{b'];
  const ours = ['a:b', ':main', '+main', 'a+b', '-d', '--delete'];
  test.each([...refused, ...ours, 'a b', 'a~1', 'a^', 'a?', 'a*', 'a[', 'a\\b', 'a\tb', 'a\x7f'])(
    'is not %j',
    (value) => expect(refProblem(value)).toBeString(),
  );

  test('is what git takes for one, but for ":", "+" and a leading "-"', () => {
    const piece = fc.constantFrom(
      'a',
      'Z',
      '/',
      '.',
      '..',
      '@',
      '{',
      '@{',
      '.lock',
      '-',
      '+',
      ' ',
      '~',
      '\\',
      '*',
      'é',
      '\x7f',
    );
    const names = fc.sample(
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
      400,
    );
    for (const name of new Set(names)) {
      const git = Bun.spawnSync(['git', 'check-ref-format', '--allow-onelevel', name]).exitCode === 0;
      const isOurs = /[:+]|^-/.test(name);
      expect([name, refProblem(name) === undefined]).toEqual([name, git && !isOurs]);
    }
  }, 60_000);
});

describe('a URL', () => {
  const url = argument({ type: 'url' });
  test.each<[string, string]>([
    ['https://example.com', 'https://example.com/'],
    ['http://EXAMPLE.com:80/a/../b?c#d', 'http://example.com/b?c#d'],
    ['https:example.com', 'https://example.com/'],
    ['https:\\\\example.com\\@evil.test', 'https://example.com/@evil.test'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
  ])('is %s, and the command gets %s', (value, href) => {
    expect(checkValue(url, value)).toBeUndefined();
    expect(passedValue(url, value)).toBe(href);
  });

  test.each<[string, string]>([
    ['', 'is not an absolute URL'],
    ['example.com', 'is not an absolute URL'],
    ['/etc/passwd', 'is not an absolute URL'],
    ['-o/x', 'is not an absolute URL'],
    ['https://a b/', 'is not an absolute URL'],
    [' https://a/', 'is not an absolute URL'],
    ['https://a/\n', 'is not an absolute URL'],
    ['https://a\u0085/', 'is not an absolute URL'],
    ['file:///etc/passwd', 'has the scheme "file"'],
    ['javascript:alert(1)', 'has the scheme "javascript"'],
    ['https://user@a/', 'holds a user name or a password'],
    ['https://:p@a/', 'holds a user name or a password'],
    ['https://{a,b}/', 'has a host that is not a plain name'],
    ["https://a'b/", 'has a host that is not a plain name'],
    ['https://-oProxyCommand=x/', 'has a host that is not a plain name'],
  ])('is not %j', (value, clause) => {
    expect(checkValue(url, value)).toContain(clause);
  });

  test('names the line that allows another scheme, and no part of a secret', () => {
    const accepts = 'the argument accepts a URL with the scheme https or http, without a password';
    expect(checkValue(url, 'ftp://a/')).toBe(
      `"ftp://a/" has the scheme "ftp"; ${accepts}; ` +
        'the owner can allow more with "schemes: [https, http, ftp]" at this argument in svc.yaml',
    );
    expect(checkValue({ ...url, secret: true }, 'ftp://a/')).not.toContain('ftp');
  });

  test('is on a host that its owner named', () => {
    const hosts = ['example.com', '*.example.org', '[::1]'];
    const accepted = ['example.com', 'EXAMPLE.com', 'a.example.org', 'a.b.example.org', '[::1]:99'];
    const refused = [
      'a.example.com',
      'example.org',
      'evilexample.org',
      'example.com.evil.test',
      'example.com@e.test',
      '127.0.0.1',
    ];
    for (const host of accepted)
      expect([host, readUrl(`https://${host}/`, { hosts }).kind]).toEqual([host, 'url']);
    for (const host of refused)
      expect([host, readUrl(`https://${host}/`, { hosts }).kind]).toEqual([host, 'problem']);
    expect(readUrl('file:///etc/passwd', { hosts, schemes: ['file'] }).kind).toBe('problem');
    expect(readUrl('git://-x/a', { schemes: ['git'] }).kind).toBe('problem');
  });

  test('is matched against its pattern in the form that the command gets', () => {
    const pattern = String.raw`https://a\.test/public/.*`;
    expect(checkValue({ ...url, pattern }, 'https://a.test/public/x')).toBeUndefined();
    expect(checkValue({ ...url, pattern }, 'https://a.test/public/../admin')).toContain('does not match');
  });

  test('that passes is parsed to the same by every further parser: there is one form of it', () => {
    fc.assert(
      fc.property(fc.webUrl(), (value) => {
        const read = readUrl(value, {});
        if (read.kind === 'url') expect(readUrl(read.href, {})).toEqual(read);
      }),
    );
  });
});

test('text and code are anything without NUL', () => {
  for (const type of ['text', 'code'] as const) {
    expect(checkValue(argument({ type }), "'; rm -rf / \n -x")).toBeUndefined();
    expect(checkValue(argument({ type }), '\0')).toContain('NUL');
  }
});
