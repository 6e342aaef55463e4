import { expect, test } from 'bun:test';
import { withImports } from './preloads.ts';

test('the page lists each file after those that it imports, each once', () => {
  const chunks = new Map([
    ['main.js', { imports: ['frame.js', 'vendor.js', 'react.js'] }],
    ['frame.js', { imports: ['runtime.js', 'vendor.js'] }],
    ['vendor.js', { imports: ['react.js', 'runtime.js'] }],
    ['react.js', { imports: ['runtime.js'] }],
    ['runtime.js', { imports: [] }],
    ['page.js', { imports: ['frame.js'] }],
  ]);
  expect(withImports('main.js', chunks)).toEqual([
    'runtime.js',
    'react.js',
    'vendor.js',
    'frame.js',
    'main.js',
  ]);
});

test('files that import each other are listed once', () => {
  const chunks = new Map([
    ['one.js', { imports: ['other.js'] }],
    ['other.js', { imports: ['one.js'] }],
  ]);
  expect(withImports('one.js', chunks)).toEqual(['other.js', 'one.js']);
});
