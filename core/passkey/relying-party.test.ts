import { expect, test } from 'bun:test';
import { relyingPartyOf } from './relying-party.ts';

test.each([
  ['https://svc.example.com', { id: 'svc.example.com', origin: 'https://svc.example.com' }],
  ['https://svc.example.com:8443/', { id: 'svc.example.com', origin: 'https://svc.example.com:8443' }],
  ['http://localhost:4400', { id: 'localhost', origin: 'http://localhost:4400' }],
])('%s carries passkeys', (hubUrl, party) => {
  expect(relyingPartyOf(hubUrl)).toEqual(party);
});

test.each([
  'http://svc.example.com',
  'http://127.0.0.1:4400',
  'https://192.0.2.7',
  'https://0x7f000001',
  'https://[::1]:4400',
  'http://localhost.example.com',
])('%s carries no passkeys', (hubUrl) => {
  expect(relyingPartyOf(hubUrl)).toBeUndefined();
});
