import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';

const LOGS = { LOG_DIR: 'FOLDER' };
const SYSLOG = `printf '%s\\n' 'one [a.*]' two 'three A.*' > syslog; mkdir nginx; echo 'GET /' > nginx/access.log`;
const number = expect.any(Number);
const text = expect.any(String);

export const MONITORING: TemplateCases = {
  'disk-usage': [
    {
      data: expect.arrayContaining([
        { filesystem: text, mount: '/', size_kib: number, free_kib: number, used_percent: number },
      ]),
    },
  ],
  'largest-folders': [
    { args: { folder: '/var', count: '3' }, data: expect.arrayContaining([{ folder: '/var', kib: number }]) },
  ],
  memory: [
    {
      data: {
        total_mib: number,
        available_mib: number,
        swap_total_mib: number,
        swap_free_mib: number,
        used_percent: number,
      },
    },
  ],
  'memory-counters': [{ data: expect.objectContaining({ MemTotal: expect.stringMatching(/^\d+ kB$/) }) }],
  'system-load': [{ data: { processors: number, load: [number, number, number], per_processor: number } }],
  'signed-in-users': [{ data: expect.any(Array) }],
  'top-processes': [
    {
      args: { by: 'memory', count: '1' },
      data: [{ pid: number, user: text, command: text, cpu: number, memory: number }],
    },
    { data: expect.arrayContaining([expect.objectContaining({ pid: number })]) },
  ],
  'find-processes': [
    {
      args: { text: 'ps -A -o pid= -o etime= -o args=' },
      data: expect.arrayContaining([{ pid: text, running_for: text, command: text }]),
    },
    { args: { text: 'nothing is called so' }, data: [] },
  ],
  'tls-certificate': [
    {
      data: {
        subject: 'CN = example.com',
        issuer: 'C = US, CN = R11',
        serial: '0DD1',
        valid_from: 'Nov  1 00:00:00 2026 GMT',
        valid_until: 'Jan 30 00:00:00 2027 GMT',
      },
    },
  ],
  'tls-expiry': [
    { output: /will not expire/ },
    { args: { days: '999' }, exitCode: 1, output: /will expire/ },
    {
      args: { host: 'www.example.com', port: '8443' },
      exitCode: 1,
      output: 'no certificate from www.example.com\n',
    },
  ],
  'http-check': [
    {
      data: {
        status: 200,
        seconds: 0.25,
        lookup: 0.01,
        connected: 0.02,
        tls: 0.1,
        first_byte: 0.2,
        bytes: 1256,
        address: '192.0.2.7',
      },
    },
  ],
  'http-headers': [{ args: { url: 'https://www.example.com/' }, output: /^HTTP\/2 200/ }],
  'log-tail': [
    { env: LOGS, before: SYSLOG, args: { lines: '2' }, output: 'two\nthree A.*\n' },
    { env: LOGS, before: SYSLOG, args: { file: 'nginx/access.log' }, output: 'GET /\n' },
  ],
  'log-search': [
    { env: LOGS, before: SYSLOG, args: { text: 'a.*' }, data: ['one [a.*]', 'three A.*'] },
    { env: LOGS, before: SYSLOG, args: { text: 'a.*', lines: '1' }, data: ['three A.*'] },
    { env: LOGS, before: SYSLOG, args: { text: 'nowhere' }, data: [] },
    {
      env: LOGS,
      before: SYSLOG,
      args: { text: 'x', file: 'auth.log' },
      exitCode: 1,
      output: 'cannot read auth.log\n',
    },
  ],
  'log-follow': [{ env: LOGS, before: SYSLOG, output: 'three A.*\n', endless: true }],
  'journal-errors': [
    {
      data: [
        { time: '2026-11-20T15:00:00Z', unit: 'certbot.service', priority: '3', message: 'it failed' },
        { time: '2026-11-20T15:00:01Z', unit: 'kernel', priority: '2', message: 'disk error' },
      ],
    },
  ],
  'failed-units': [
    {
      data: [
        {
          unit: 'certbot.service',
          load: 'loaded',
          active: 'failed',
          sub: 'failed',
          description: 'Renews certificates',
        },
      ],
    },
  ],
  'listening-ports': [
    {
      data: [
        { protocol: 'udp', address: '[::1]', port: 323, program: null },
        { protocol: 'tcp', address: '127.0.0.1', port: 8787, program: 'svc' },
      ],
    },
  ],
  'connection-count': [
    {
      data: [
        { state: 'ESTAB', connections: 2 },
        { state: 'LISTEN', connections: 1 },
        { state: 'TIME-WAIT', connections: 1 },
      ],
    },
  ],
};
