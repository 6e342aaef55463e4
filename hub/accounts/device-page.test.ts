// The page on which a person lets a program sign in.
import { expect, test } from 'bun:test';
import { confirmPage } from './device-routes.ts';

const page = async (...usernames: (string | undefined)[]) => {
  const workspaces = usernames.map((username, index) => ({ id: `w${index}`, username }) as never);
  return confirmPage({
    userCode: 'BCDF-GHJK',
    clientName: 'svc',
    email: 'lin@example.com',
    workspaces,
  }).text();
};
const selected = async (...usernames: (string | undefined)[]) =>
  /<option value="[^"]*" selected>([^<]*)</.exec(await page(...usernames))?.[1];

test('a member whose own workspace was never used connects to the team unless they choose otherwise', async () => {
  expect(await selected(undefined, 'ada')).toBe('ada');
  expect(await selected('lin', 'ada')).toBe('lin');
  expect(await page(undefined)).toContain('<input type="hidden" name="workspace" value="w0">');
});
