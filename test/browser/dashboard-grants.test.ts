// Questions about secrets in the dashboard: asked on the page of the secrets and at the endpoint, answered with a button.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { connect, type Owner, ownerOf } from '../token-world.ts';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, viewer } from './dashboard.ts';

closeBrowserAtEnd();

describeInBrowser('a question about a secret', () => {
  let world: HubWorld;
  let owner: Owner;
  let token: string;
  beforeAll(async () => {
    world = await dashboardWorld();
    owner = ownerOf(world);
    await owner.setSecret('DEPLOY_TOKEN');
    world.clock.move(1_000);
    ({ token } = await owner.makeToken({ name: 'build server' }));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('comes up by itself, and is allowed and refused there', async () => {
    await using person = await viewer(world);
    const { page } = person;
    await person.open('/secrets');
    await page.getByText('Secret access').waitFor();
    const endpoints = [{ name: 'deploy', command: 'deploy $svc:DEPLOY_TOKEN' }];
    await using _agent = await connect(world, token, { endpoints, name: 'build-1' });
    await page.getByText('Needs your approval').waitFor();
    await person.expectAccessible();
    await person.open('/endpoints/deploy');
    await page.getByText('waits for an admin: may `build-1` have `DEPLOY_TOKEN`?').waitFor();
    await page.getByRole('link', { name: 'Review', exact: true }).click();
    await page
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click();
    await page.getByText('Needs your approval').waitFor({ state: 'detached' });
    expect(await owner.grants('allowed')).toMatchObject([{ name: 'build-1' }]);
    await page
      .getByRole('button', { name: /^Refuse/ })
      .first()
      .click();
    await page.getByText('Secret access refused').first().waitFor();
    expect(await owner.grants('refused')).toMatchObject([{ name: 'build-1' }]);
  });
});
