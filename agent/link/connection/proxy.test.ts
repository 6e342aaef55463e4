import { expect, test } from 'bun:test';
import { proxyFor } from './proxy.ts';

const P = 'http://proxy:3128';

test.each([
  ['https://a.example', {}, undefined],
  ['https://a.example', { https_proxy: P }, P],
  ['https://a.example', { HTTPS_PROXY: P }, P],
  ['https://a.example', { https_proxy: P, HTTPS_PROXY: 'http://other' }, P],
  ['https://a.example', { https_proxy: '', HTTPS_PROXY: P }, P],
  ['https://a.example', { http_proxy: P }, undefined],
  ['https://a.example', { ALL_PROXY: P }, P],
  ['http://a.example', { http_proxy: P }, P],
  ['http://a.example', { HTTP_PROXY: P }, undefined],
  ['http://a.example', { HTTPS_PROXY: P }, undefined],
  ['http://a.example', { all_proxy: P }, P],
  ['http://localhost:8787', { http_proxy: P }, undefined],
  ['http://127.0.0.1:8787', { http_proxy: P }, undefined],
  ['http://[::1]:8787', { http_proxy: P }, undefined],
  ['https://a.example', { https_proxy: P, no_proxy: 'a.example' }, undefined],
  ['https://a.example', { https_proxy: P, NO_PROXY: '*' }, undefined],
  ['https://b.a.example', { https_proxy: P, no_proxy: 'x, a.example' }, undefined],
  ['https://b.a.example', { https_proxy: P, no_proxy: '.A.example' }, undefined],
  ['https://b.a.example', { https_proxy: P, no_proxy: '*.a.example' }, undefined],
  ['https://ba.example', { https_proxy: P, no_proxy: 'a.example' }, P],
  ['https://a.example', { https_proxy: P, no_proxy: 'a.example:443' }, undefined],
  ['https://a.example', { https_proxy: P, no_proxy: 'a.example:8443' }, P],
  ['https://a.example:8443', { https_proxy: P, no_proxy: 'a.example:8443' }, undefined],
  ['https://10.0.0.1', { https_proxy: P, no_proxy: '10.0.0.1' }, undefined],
  ['https://a.example', { https_proxy: P, no_proxy: ', ,' }, P],
  ['https://a.example', { HTTPS_PROXY: 'proxy:3128' }, P],
  ['https://a.example', { all_proxy: 'ada:pw@proxy:3128' }, 'http://ada:pw@proxy:3128'],
])('%s with %j: %p', (url, environment, proxy) => {
  expect(proxyFor(new URL(url), environment as Record<string, string>)).toBe(proxy);
});
