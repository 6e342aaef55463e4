import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';
import { COMMIT_ID, DATE, SHORT_ID } from './repository.ts';

const APP = { REPO_DIR: 'FOLDER/app' };
const WORK = { REPO_DIR: 'FOLDER/work' };
const ONE = { author: 'Ada', date: DATE, subject: 'one | "quoted"' };

export const GIT: TemplateCases = {
  commits: [
    {
      env: WORK,
      repository: true,
      args: { branch: 'feature/x', count: '2' },
      data: [
        { commit: COMMIT_ID, author: 'Ada', date: DATE, subject: 'three' },
        { commit: COMMIT_ID, author: 'Ada', date: DATE, subject: 'two' },
      ],
    },
    { env: APP, repository: true, data: [{ commit: COMMIT_ID, ...ONE }] },
  ],
  commit: [{ env: APP, repository: true, args: { commit: 'v1.0.0' }, output: /one\.txt +\| 1 \+\n/ }],
  branches: [
    {
      env: WORK,
      repository: true,
      data: expect.arrayContaining([
        { branch: 'feature/x', commit: SHORT_ID, date: DATE, author: 'Ada' },
        { branch: 'origin/main', commit: SHORT_ID, date: DATE, author: 'Ada' },
      ]),
    },
  ],
  'merged-branches': [
    { env: WORK, repository: true, data: ['main'] },
    { env: WORK, repository: true, args: { into: 'feature/x' }, data: ['feature/x', 'main'] },
  ],
  'checkout-status': [
    {
      env: APP,
      repository: true,
      before: `cd app; echo x >> one.txt; touch new`,
      data: [
        { state: ' M', file: 'one.txt' },
        { state: '??', file: 'new' },
      ],
    },
    { env: APP, repository: true, data: [] },
  ],
  'checkout-distance': [{ env: APP, repository: true, data: { ahead: 0, behind: 1 } }],
  'checkout-pull': [
    { env: APP, repository: true, output: /two\.txt/, after: 'test -f app/two.txt' },
    {
      env: APP,
      repository: true,
      before: `cd app; touch own; git add .; git commit -qm own`,
      exitCode: 128,
      output: /fast-forward/,
      after: 'test ! -f app/two.txt',
    },
  ],
  versions: [{ env: APP, repository: true, data: [{ tag: 'v1.0.0', date: DATE, subject: ONE.subject }] }],
  'tag-release': [
    {
      env: APP,
      repository: true,
      args: { version: 'v1.1.0', message: '-F $(id) "new"\nsecond line' },
      output: /v1\.1\.0/,
      after: `[ "$(git -C origin.git tag -l --format='%(contents)' v1.1.0)" = '-F $(id) "new"
second line' ] && [ "$(git -C origin.git rev-parse 'v1.1.0^{commit}')" = "$(git -C origin.git rev-parse main)" ]`,
    },
    { env: APP, repository: true, args: { version: 'v1.0.0', message: 'again' }, exitCode: 128 },
  ],
  'code-search': [
    {
      env: APP,
      repository: true,
      args: { text: '| "quoted"' },
      data: [{ file: 'one.txt', line: 1, text: 'one | "quoted"' }],
    },
    { env: APP, repository: true, args: { text: '.*' }, data: [] },
  ],
  'history-search': [
    { env: WORK, repository: true, args: { text: 'quoted' }, data: [{ commit: SHORT_ID, ...ONE }] },
  ],
  changelog: [
    {
      env: WORK,
      repository: true,
      args: { from: 'v1.0.0', to: 'feature/x' },
      output: /^- three \(\w+, Ada\)\n- two \(\w+, Ada\)\n$/,
    },
  ],
  'changed-files': [
    {
      env: WORK,
      repository: true,
      args: { from: 'v1.0.0' },
      data: [{ added: '1', removed: '0', file: 'two.txt' }],
    },
  ],
  contributors: [
    { env: WORK, repository: true, data: [{ commits: 2, name: 'Ada', email: 'ada@example.com' }] },
    {
      env: WORK,
      repository: true,
      args: { since: '2026-01-15' },
      data: [expect.objectContaining({ commits: 1 })],
    },
  ],
};
