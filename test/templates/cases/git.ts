import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';
import { CLONED, COMMIT_ID, DATE, SHORT_ID } from './repository.ts';

const APP = { REPO_DIR: 'FOLDER/app' };
const WORK = { REPO_DIR: 'FOLDER/work' };
const ONE = { author: 'Ada', date: DATE, subject: 'one | "quoted"' };

export const GIT: TemplateCases = {
  commits: [
    {
      env: WORK,
      before: CLONED,
      args: { branch: 'feature/x', count: '2' },
      data: [
        { commit: COMMIT_ID, author: 'Ada', date: DATE, subject: 'three' },
        { commit: COMMIT_ID, author: 'Ada', date: DATE, subject: 'two' },
      ],
    },
    { env: APP, before: CLONED, data: [{ commit: COMMIT_ID, ...ONE }] },
  ],
  commit: [{ env: APP, before: CLONED, args: { commit: 'v1.0.0' }, output: /one\.txt \| 1 \+\n/ }],
  branches: [
    {
      env: WORK,
      before: CLONED,
      data: expect.arrayContaining([
        { branch: 'feature/x', commit: SHORT_ID, date: DATE, author: 'Ada' },
        { branch: 'origin/main', commit: SHORT_ID, date: DATE, author: 'Ada' },
      ]),
    },
  ],
  'merged-branches': [
    { env: WORK, before: CLONED, data: ['main'] },
    { env: WORK, before: CLONED, args: { into: 'feature/x' }, data: ['feature/x', 'main'] },
  ],
  'checkout-status': [
    {
      env: APP,
      before: `${CLONED}; echo x >> ../app/one.txt; touch ../app/new`,
      data: [
        { state: ' M', file: 'one.txt' },
        { state: '??', file: 'new' },
      ],
    },
    { env: APP, before: CLONED, data: [] },
  ],
  'checkout-distance': [{ env: APP, before: CLONED, data: { ahead: 0, behind: 1 } }],
  'checkout-pull': [
    { env: APP, before: CLONED, output: /two\.txt/, after: 'test -f app/two.txt' },
    {
      env: APP,
      before: `${CLONED}; cd ../app; commit own own 4`,
      exitCode: 128,
      output: /fast-forward/,
      after: 'test ! -f app/two.txt',
    },
  ],
  versions: [{ env: APP, before: CLONED, data: [{ tag: 'v1.0.0', date: DATE, subject: ONE.subject }] }],
  'tag-release': [
    {
      env: APP,
      before: CLONED,
      args: { version: 'v1.1.0', message: '-F $(id) "new"\nsecond line' },
      output: /v1\.1\.0/,
      after: `[ "$(git -C origin.git tag -l --format='%(contents)' v1.1.0)" = '-F $(id) "new"
second line' ] && [ "$(git -C origin.git rev-parse 'v1.1.0^{commit}')" = "$(git -C origin.git rev-parse main)" ]`,
    },
    { env: APP, before: CLONED, args: { version: 'v1.0.0', message: 'again' }, exitCode: 128 },
  ],
  'code-search': [
    {
      env: APP,
      before: CLONED,
      args: { text: '| "quoted"' },
      data: [{ file: 'one.txt', line: 1, text: 'one | "quoted"' }],
    },
    { env: APP, before: CLONED, args: { text: '.*' }, data: [] },
  ],
  'history-search': [
    { env: WORK, before: CLONED, args: { text: 'quoted' }, data: [{ commit: SHORT_ID, ...ONE }] },
  ],
  changelog: [
    {
      env: WORK,
      before: CLONED,
      args: { from: 'v1.0.0', to: 'feature/x' },
      output: /^- three \(\w+, Ada\)\n- two \(\w+, Ada\)\n$/,
    },
  ],
  'changed-files': [
    {
      env: WORK,
      before: CLONED,
      args: { from: 'v1.0.0' },
      data: [{ added: '1', removed: '0', file: 'two.txt' }],
    },
  ],
  contributors: [
    { env: WORK, before: CLONED, data: [{ commits: 2, name: 'Ada', email: 'ada@example.com' }] },
    {
      env: WORK,
      before: CLONED,
      args: { since: '2026-01-15' },
      data: [expect.objectContaining({ commits: 1 })],
    },
  ],
};
