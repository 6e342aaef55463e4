// Decision 91, provisioning by SCIM. The requests have the shape of those that the providers document, with names of our own:
// - Microsoft Entra ID: "Develop and plan provisioning for a SCIM endpoint in Microsoft Entra ID", and for PATCH with and without
//   `aadOptscim062020`: "Known issues and resolutions with SCIM 2.0 protocol compliance of the Microsoft Entra user provisioning service"
// - Okta: "Okta and SCIM Version 2.0" (SCIM 2.0 Protocol Reference)
// - OneLogin: "Implement RESTful SCIM APIs for Your App", and its JSON template "SCIM Provisioner with SAML (SCIM v2 Enterprise)"
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { LiveEventReader } from '../live-event-reader.ts';
import { type NatsServer, natsMissing, startNats } from '../nats.ts';
import { BrokenProvider } from '../openid-providers.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';

const PATCH = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const USER = ['urn:ietf:params:scim:schemas:core:2.0:User'];
const GROUP = ['urn:ietf:params:scim:schemas:core:2.0:Group'];

interface Answer {
  readonly status: number;
  readonly type: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say which fields they expect
  readonly body: any;
}

interface Place {
  /** The hub that the provider talks to. */
  readonly here: HubWorld;
  /** The hub where people are. */
  readonly there: HubWorld;
  readonly provider: BrokenProvider;
  close(): Promise<void>;
}

async function oneHub(): Promise<Place> {
  const provider = await BrokenProvider.start();
  const here = await hubWorld({ env: environmentOf(provider) });
  return {
    here,
    there: here,
    provider,
    async close() {
      await here[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

async function twoHubs(): Promise<Place> {
  const provider = await BrokenProvider.start();
  const server: PostgresServer = await startPostgres({ syncs: false });
  const bus: NatsServer = await startNats();
  const env = {
    ...environmentOf(provider),
    DATABASE_URL: await server.createDatabase(),
    NATS_URL: `nats://${bus.address}`,
    SVC_MASTER_KEY: '7'.repeat(64),
  };
  const here = await hubWorld({ env });
  const there = await hubWorld({ env, index: 1 });
  return {
    here,
    there,
    provider,
    async close() {
      for (const each of [here, there, server, bus, provider]) await each[Symbol.asyncDispose]();
    },
  };
}

function environmentOf(provider: BrokenProvider) {
  return { ...provider.environment, SVC_RATE_LIMITS: 'off', SVC_SCIM_WORKSPACES: '*' };
}

const PLACES: [string, boolean, () => Promise<Place>][] = [
  ['at one hub', false, oneHub],
  ['at two hubs on PostgreSQL', postgresMissing !== undefined || natsMissing !== undefined, twoHubs],
];

describe.each(PLACES)('%s', (_where, isSkipped, open) => {
  describe.skipIf(isSkipped)('SCIM', () => {
    let place: Place;
    let token: string;
    let count = 0;

    beforeAll(async () => {
      place = await open();
      token = await newToken();
    }, 120_000);
    afterAll(() => place.close(), 60_000);

    const owner = (method: string, path: string, body?: object) =>
      place.here.manage(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    const newToken = async () => {
      const made = await owner('POST', '/team/scim/token', {});
      return ((await made.json()) as { token: string }).token;
    };
    const scim = async (method: string, path: string, body?: object, bearer = token): Promise<Answer> => {
      const response = await fetch(`${place.here.hub.hubUrl}/scim/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/scim+json; charset=utf-8',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const type = response.headers.get('content-type');
      return { status: response.status, type, body: text === '' ? undefined : JSON.parse(text) };
    };
    /** A person as Entra ID adds them. */
    const entraUser = (name = `person-${++count}`) => ({
      schemas: [...USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: `id of ${name}`,
      userName: `${name}@example.com`,
      active: true,
      displayName: name,
      emails: [{ primary: true, type: 'work', value: `${name}@example.com` }],
      name: { formatted: name, familyName: 'family', givenName: 'given' },
      roles: [],
    });
    const added = async (user: object = entraUser()) => {
      const { status, body } = await scim('POST', '/Users', user);
      expect([status, body]).toEqual([201, expect.anything()]);
      return body as { id: string; userName: string };
    };
    const roleOf = async (email: string) => {
      const { items } = (await (await owner('GET', '/team/members?limit=100')).json()) as {
        items: { email: string; role: string; group: string | null }[];
      };
      return items.find((one) => one.email === email)?.role;
    };
    const workspace = () => place.here.start.username;
    const map = async (groups: object[]) => {
      const response = await owner('PUT', '/team/groups', { groups });
      expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
    };

    test('is refused without the token, in the shape of the standard', async () => {
      for (const bearer of ['', 'x', place.here.start.accessToken, place.here.start.apiKey]) {
        const { status, type, body } = await scim('GET', '/Users', undefined, bearer);
        expect([status, type]).toEqual([401, 'application/scim+json']);
        expect(body).toEqual({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: '401',
          detail: expect.any(String),
        });
      }
    });

    test('tells what it has of the standard', async () => {
      const config = await scim('GET', '/ServiceProviderConfig');
      expect(config.body).toMatchObject({
        patch: { supported: true },
        filter: { maxResults: 200 },
        bulk: { supported: false },
      });
      expect(
        (await scim('GET', '/ResourceTypes')).body.Resources.map((one: { id: string }) => one.id),
      ).toEqual(['User', 'Group']);
      expect((await scim('GET', '/Schemas')).body.Resources.map((one: { id: string }) => one.id)).toEqual([
        ...USER,
        ...GROUP,
      ]);
    });

    test('Entra ID looks for a person, adds them, changes them and takes them out', async () => {
      const user = entraUser();
      const filter = encodeURIComponent(`userName eq "${user.userName.toUpperCase()}"`);
      expect((await scim('GET', `/Users?filter=${filter}&aadOptscim062020`)).body).toMatchObject({
        totalResults: 0,
        Resources: [],
      });
      const { id } = await added(user);
      expect(await roleOf(user.userName)).toBe('member');
      const found = await scim('GET', `/Users?filter=${filter}`);
      expect(found.body).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
      expect(found.body.Resources[0]).toMatchObject({
        id,
        userName: user.userName,
        active: true,
        groups: [],
      });
      expect(await scim('POST', '/Users', user)).toMatchObject({
        status: 409,
        body: { scimType: 'uniqueness' },
      });
      const changed = await scim('PATCH', `/Users/${id}`, {
        schemas: PATCH,
        Operations: [
          { op: 'Replace', path: 'name.familyName', value: 'Roe' },
          { op: 'Add', path: 'emails[type eq "work"].value', value: 'another@example.com' },
        ],
      });
      expect(changed.body).toMatchObject({ name: { familyName: 'Roe', givenName: 'given' }, active: true });
      // The address of the account does not follow the provider.
      expect([await roleOf(user.userName), await roleOf('another@example.com')]).toEqual([
        'member',
        undefined,
      ]);
      const off = { schemas: PATCH, Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
      expect(await scim('PATCH', `/Users/${id}`, off)).toMatchObject({
        status: 200,
        body: { active: false },
      });
      expect(await roleOf(user.userName)).toBeUndefined();
      const on = { schemas: PATCH, Operations: [{ op: 'replace', value: { active: true } }] };
      expect(await scim('PATCH', `/Users/${id}`, on)).toMatchObject({ status: 200, body: { active: true } });
      expect(await roleOf(user.userName)).toBe('member');
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
      expect(await roleOf(user.userName)).toBeUndefined();
      expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
    });

    // "Update User [Multi-valued properties]", "[Single-valued properties]", "Disable User" and "Known issues …".
    test('Entra ID changes several attributes in one request, with the flag for the standard and without it', async () => {
      const user = entraUser();
      const { id } = await added(user);
      const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
      const change = (...Operations: object[]) =>
        scim('PATCH', `/Users/${id}`, { schemas: PATCH, Operations });
      const without = await change(
        { op: 'Replace', path: 'displayName', value: 'Lin' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'lin@work.example' },
        { op: 'Add', path: 'emails[type eq "other"].Value', value: 'lin@other.example' },
        { op: 'Replace', path: 'name.givenName', value: 'Lin' },
        { op: 'Replace', path: 'externalId', value: 'lin-1' },
        { op: 'Replace', path: `${enterprise}:employeeNumber`, value: '7' },
        { op: 'Add', path: 'nickName', value: 'L' },
      );
      expect(without).toMatchObject({
        status: 200,
        body: { displayName: 'Lin', externalId: 'lin-1', name: { givenName: 'Lin', familyName: 'family' } },
      });
      expect(without.body.emails).toEqual([
        { value: 'lin@work.example', type: 'work', primary: true },
        { value: 'lin@other.example', type: 'other' },
      ]);
      const withFlag = await change(
        { op: 'replace', path: 'emails[type eq "work"].value', value: 'l@work.example' },
        {
          op: 'replace',
          value: {
            displayName: 'Li',
            'name.givenName': 'Li',
            'name.familyName': 'Roe',
            [`${enterprise}:employeeNumber`]: '8',
          },
        },
      );
      expect(withFlag.body).toMatchObject({
        displayName: 'Li',
        name: { givenName: 'Li', familyName: 'Roe' },
        emails: [{ value: 'l@work.example' }, { value: 'lin@other.example' }],
      });
      const renamed = `renamed-${count}@example.com`;
      expect((await change({ op: 'Replace', path: 'userName', value: renamed })).body.userName).toBe(renamed);
      const query = (filter: string) => scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      for (const filter of [
        `userName eq "${renamed}"`,
        'externalId eq "lin-1"',
        'emails[type eq "work"].value eq "L@WORK.example"',
      ])
        expect([filter, (await query(filter)).body.Resources.map((one: { id: string }) => one.id)]).toEqual([
          filter,
          [id],
        ]);
      expect((await query('externalId eq "LIN-1"')).body.totalResults).toBe(0);
      expect((await change({ op: 'Replace', path: 'active', value: false })).body.active).toBe(false);
      // A user who is not active is found as before.
      expect((await query(`userName eq "${renamed}"`)).body.Resources).toMatchObject([{ id, active: false }]);
      expect(await scim('GET', `/Users/${crypto.randomUUID()}`)).toMatchObject({
        status: 404,
        type: 'application/scim+json',
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
      });
    });

    // "Create Group" to "Delete Group": groups begin empty, and are read without their members.
    test('Entra ID fills a group, reads it without its members, and empties it', async () => {
      const [lin, ada] = [await added(), await added()];
      const displayName = `entra-${++count}`;
      const made = await scim('POST', '/Groups', {
        schemas: [...GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: `id of ${displayName}`,
        displayName,
        meta: { resourceType: 'Group' },
      });
      expect(made).toMatchObject({ status: 201, body: { members: [], externalId: `id of ${displayName}` } });
      const path = `/Groups/${made.body.id}`;
      const found = async (name: string) => {
        const filter = encodeURIComponent(`displayName eq "${name}"`);
        return (await scim('GET', `/Groups?excludedAttributes=members&filter=${filter}`)).body.Resources;
      };
      expect(await found(displayName.toUpperCase())).toEqual([
        expect.not.objectContaining({ members: expect.anything() }),
      ]);
      expect((await scim('GET', `${path}?excludedAttributes=members`)).body).not.toHaveProperty('members');
      const change = (operation: object) => scim('PATCH', path, { schemas: PATCH, Operations: [operation] });
      const refs = (...users: { id: string }[]) => users.map(({ id: value }) => ({ $ref: null, value }));
      const members = async () =>
        (await scim('GET', path)).body.members.map(({ value }: { value: string }) => value).sort();
      // A change of a group is answered without the group.
      expect(await change({ op: 'Add', path: 'members', value: refs(lin, ada) })).toMatchObject({
        status: 204,
        body: undefined,
      });
      expect(await members()).toEqual([lin.id, ada.id].sort());
      await change({ op: 'Remove', path: 'members', value: refs(lin) });
      expect(await members()).toEqual([ada.id]);
      await change({ op: 'remove', path: `members[value eq "${ada.id}"]` });
      expect(await members()).toEqual([]);
      expect((await change({ op: 'Replace', path: 'displayName', value: `${displayName}-b` })).status).toBe(
        204,
      );
      expect(await found(`${displayName}-b`)).toMatchObject([{ displayName: `${displayName}-b` }]);
      expect((await scim('DELETE', path)).status).toBe(204);
      expect((await scim('GET', path)).status).toBe(404);
    });

    // "Determine if the User already exists" to "Delete Users".
    test('Okta looks for a user, adds one with a password, and suspends and restores them', async () => {
      const userName = `okta-${++count}@example.com`;
      const look = `/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}&startIndex=1&count=100`;
      expect((await scim('GET', look)).body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
        Resources: [],
      });
      const user = {
        schemas: USER,
        userName,
        name: { givenName: 'Lin', familyName: 'Roe' },
        emails: [{ primary: true, value: userName, type: 'work', display: userName }],
        displayName: 'Lin Roe',
        locale: 'en-US',
        externalId: `00u${count}`,
        groups: [],
        password: 'not for us',
        active: true,
      };
      const made = await scim('POST', '/Users', user);
      expect(made).toMatchObject({ status: 201, body: { userName, active: true, groups: [] } });
      expect(JSON.stringify(made.body)).not.toContain('not for us');
      expect(await scim('POST', '/Users', user)).toMatchObject({ status: 409, body: { status: '409' } });
      const path = `/Users/${made.body.id}`;
      const active = (value: boolean) =>
        scim('PATCH', path, { schemas: PATCH, Operations: [{ op: 'replace', value: { active: value } }] });
      expect((await active(false)).body.active).toBe(false);
      expect(await roleOf(userName)).toBeUndefined();
      expect((await active(true)).body.active).toBe(true);
      expect(await roleOf(userName)).toBe('member');
      const put = {
        ...made.body,
        name: { givenName: 'Lin', middleName: 'M', familyName: 'Doe' },
        active: false,
      };
      expect((await scim('PUT', path, put)).body).toMatchObject({
        name: { familyName: 'Doe' },
        active: false,
      });
      expect(await roleOf(userName)).toBeUndefined();
    });

    // "SCIM Group operations".
    test('Okta pushes a group, names it again with each change, and replaces its members', async () => {
      const [lin, ada] = [await added(), await added()];
      const displayName = `okta ${++count}`;
      const made = await scim('POST', '/Groups', { schemas: GROUP, displayName, members: [] });
      const path = `/Groups/${made.body.id}`;
      const change = async (...Operations: object[]) =>
        (await scim('PATCH', path, { schemas: PATCH, Operations })).status;
      const members = async () =>
        (await scim('GET', path)).body.members.map(({ value }: { value: string }) => value);
      const of = ({ id: value, userName: display }: { id: string; userName: string }) => ({ value, display });
      expect(await change({ op: 'replace', value: { id: made.body.id, displayName } })).toBe(204);
      expect(await change({ op: 'add', path: 'members', value: [of(lin)] })).toBe(204);
      await change(
        { op: 'remove', path: `members[value eq "${lin.id}"]` },
        { op: 'add', path: 'members', value: [of(ada)] },
      );
      expect(await members()).toEqual([ada.id]);
      await change({ op: 'replace', path: 'members', value: [of(lin)] });
      expect(await members()).toEqual([lin.id]);
      // An application of the wizard puts the whole group.
      const put = { schemas: GROUP, id: made.body.id, displayName, members: [of(ada)] };
      expect((await scim('PUT', path, put)).status).toBe(200);
      expect(await members()).toEqual([ada.id]);
      const page = await scim('GET', '/Groups?startIndex=1&count=100');
      expect(page.body.Resources.map((one: { id: string }) => one.id)).toContain(made.body.id);
      expect((await scim('DELETE', path)).status).toBe(204);
    });

    test('OneLogin tries the connection, and adds a user by its template with texts and null', async () => {
      const userName = `onelogin-${++count}@example.com`;
      const filter = encodeURIComponent('userName eq "no such person"');
      expect(await scim('GET', `/Users?filter=${filter}`)).toMatchObject({
        status: 200,
        body: { Resources: [] },
      });
      const made = await scim('POST', '/Users', {
        schemas: ['urn:scim:schemas:core:1.0'],
        id: null,
        userName,
        active: 'true',
        name: { familyName: 'Roe', givenName: 'Lin', formatted: 'Lin Roe' },
        emails: [{ value: userName, type: 'work', primary: true }],
        meta: { resourceType: 'User' },
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
          department: 'x',
          manager: { managerId: null, displayName: ' ' },
        },
      });
      expect(made).toMatchObject({ status: 201, body: { userName, active: true } });
      const off = await scim('PUT', `/Users/${made.body.id}`, { ...made.body, active: 'false' });
      expect(off).toMatchObject({ status: 200, body: { active: false } });
      expect((await scim('DELETE', `/Users/${made.body.id}`)).status).toBe(204);
    });

    test('Okta puts the whole user, with fields that only the hub sets', async () => {
      const { id } = await added();
      const before = (await scim('GET', `/Users/${id}`)).body;
      const put = await scim('PUT', `/Users/${id}`, {
        ...before,
        active: false,
        name: { givenName: 'Another', middleName: 'M' },
      });
      expect(put).toMatchObject({ status: 200, body: { id, active: false, name: { givenName: 'Another' } } });
      expect(await roleOf(before.userName)).toBeUndefined();
      const { active: _, ...without } = before;
      expect((await scim('PUT', `/Users/${id}`, without)).body.active).toBe(false);
    });

    test('OneLogin adds a user without addresses, and finds the first page by numbers', async () => {
      const { id } = await added({ schemas: USER, userName: `one-${++count}@example.com`, active: true });
      const all = await scim('GET', '/Users?startIndex=1&count=100');
      expect(all.body.Resources.map((one: { id: string }) => one.id)).toContain(id);
      const none = await scim('GET', '/Users?startIndex=1&count=0');
      expect(none.body).toMatchObject({
        totalResults: all.body.totalResults,
        itemsPerPage: 0,
        Resources: [],
      });
      const second = await scim('GET', '/Users?startIndex=2&count=1&attributes=userName');
      expect(Object.keys(second.body.Resources[0]).sort()).toEqual(['id', 'schemas', 'userName']);
      expect(second.body.Resources[0].id).toBe(all.body.Resources[1].id);
    });

    test('a user who is not active, or cannot be, is no member', async () => {
      const idle = await added({ ...entraUser(), active: false });
      expect(await roleOf(idle.userName)).toBeUndefined();
      expect(await scim('POST', '/Users', { userName: 'no address' })).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue' },
      });
      expect((await scim('POST', '/Users', { active: true })).status).toBe(400);
      expect(await scim('GET', '/Users?filter=title%20eq%20%22x%22')).toMatchObject({
        status: 400,
        body: { scimType: 'invalidFilter' },
      });
    });

    test('members of a group get its role, and lose it with the group', async () => {
      await map([{ group: 'platform', role: 'admin', domains: [] }]);
      const [lin, ada] = [await added(), await added()];
      const group = await scim('POST', '/Groups', {
        schemas: GROUP,
        displayName: 'Platform',
        externalId: 'g',
        members: [{ value: lin.id }],
      });
      expect([group.status, group.body.members]).toEqual([
        201,
        [expect.objectContaining({ value: lin.id, display: lin.userName })],
      ]);
      // The map is about names as they are written.
      expect(await roleOf(lin.userName)).toBe('member');
      const { id } = group.body;
      const renamed = {
        schemas: PATCH,
        Operations: [{ op: 'replace', value: { id, displayName: 'platform' } }],
      };
      expect((await scim('PATCH', `/Groups/${id}`, renamed)).status).toBe(204);
      expect(await roleOf(lin.userName)).toBe('admin');
      const one = {
        schemas: PATCH,
        Operations: [{ op: 'Add', path: 'members', value: [{ value: ada.id }] }],
      };
      expect(
        (await scim('PATCH', `/Groups/${id}?excludedAttributes=members`, one)).body.members,
      ).toBeUndefined();
      expect(await roleOf(ada.userName)).toBe('admin');
      expect((await scim('GET', `/Users/${ada.id}`)).body.groups).toEqual([
        { value: id, display: 'platform' },
      ]);
      await scim('PATCH', `/Groups/${id}`, {
        schemas: PATCH,
        Operations: [{ op: 'remove', path: `members[value eq "${ada.id}"]` }],
      });
      expect([await roleOf(ada.userName), await roleOf(lin.userName)]).toEqual(['member', 'admin']);
      await map([{ group: 'platform', role: 'viewer', domains: [] }]);
      expect(await roleOf(lin.userName)).toBe('viewer');
      const stranger = {
        schemas: PATCH,
        Operations: [{ op: 'add', path: 'members', value: [{ value: crypto.randomUUID() }] }],
      };
      expect(await scim('PATCH', `/Groups/${id}`, stranger)).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue' },
      });
      expect(await scim('POST', '/Groups', { displayName: 'PLATFORM' })).toMatchObject({
        status: 409,
        body: { scimType: 'uniqueness' },
      });
      expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
      expect(await roleOf(lin.userName)).toBe('member');
      await map([]);
    });

    test('the owner stays the owner', async () => {
      const user = { userName: 'operator@localhost', active: true };
      const { id } = await added(user);
      const off = { schemas: PATCH, Operations: [{ op: 'replace', path: 'active', value: false }] };
      expect(await scim('PATCH', `/Users/${id}`, off)).toMatchObject({
        status: 403,
        body: { status: '403' },
      });
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(403);
      const shown = (await (await owner('GET', '/workspace')).json()) as { role?: string };
      expect(shown.role ?? 'owner').toBe('owner');
    });

    test('a person who is taken out loses streams, sessions, tokens and keys at once, at every hub', async () => {
      const { id, userName } = await added();
      const person: Person = await signIn(place.there, userName);
      const ask = (path: string, body?: object) =>
        person.ask(body === undefined ? 'GET' : 'POST', path, {
          workspace: workspace(),
          ...(body && { body }),
        });
      const made = await ask('/tokens', {});
      const bearer = { authorization: `Bearer ${String(made.body.access_token)}` };
      const key = String((await ask('/api-keys', { name: 'k' })).body.token);
      const callables = async () =>
        (await fetch(`${place.there.hub.baseUrl}/v1/${workspace()}`, { headers: { 'x-api-key': key } }))
          .status;
      expect(await callables()).toBe(200);
      const stream = await LiveEventReader.open(`${place.there.hub.hubUrl}/events`, bearer);
      await stream.next();
      const beganAtMs = performance.now();
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
      while ((await stream.next()) !== undefined);
      expect(performance.now() - beganAtMs).toBeLessThan(5_000);
      expect((await ask('/endpoints')).status).toBe(401);
      expect((await fetch(`${place.there.hub.hubUrl}/endpoints`, { headers: bearer })).status).toBe(401);
      expect(await callables()).toBe(401);
      const { items } = (await (await owner('GET', '/audit?limit=20')).json()) as {
        items: { action: string; actor: { name: string } }[];
      };
      expect(items.find(({ action }) => action === 'member.removed')?.actor.name).toBe('SCIM');
    });

    test('an account that exists joins, and nothing else about it changes', async () => {
      const name = `known-${++count}@example.com`;
      const person = await signIn(place.here, name);
      const { id } = await added({ userName: name.toUpperCase(), active: true });
      expect((await person.ask('GET', '/endpoints', { workspace: workspace() })).status).toBe(200);
      // A second user of the provider does not get the same account.
      const twin = { userName: `twin-${count}`, emails: [{ value: name }], active: true };
      expect(await scim('POST', '/Users', twin)).toMatchObject({
        status: 409,
        body: { scimType: 'uniqueness' },
      });
      // The sign-in provider of the hub does not enter it.
      place.provider.person = { sub: name, email: name, email_verified: true };
      const page = await new PlainBrowser().open(
        `${place.here.hub.hubUrl}/login/oidc`,
        ({ pathname }) => pathname === '/dashboard',
      );
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('is not linked')]);
      await scim('DELETE', `/Users/${id}`);
      expect((await (await signIn(place.here, name)).ask('GET', '/workspace')).status).toBe(200);
    });

    test('a person who is new enters the account by the verified address, once', async () => {
      const { userName } = await added();
      const come = async (sub: string, isVerified = true) => {
        place.provider.person = { sub, email: userName, email_verified: isVerified };
        const browser = new PlainBrowser();
        const page = await browser.open(
          `${place.there.hub.hubUrl}/login/oidc`,
          ({ pathname }) => pathname === '/dashboard',
        );
        return { page, person: personWith(place.there, userName, browser.header(place.there.hub.hubUrl)) };
      };
      expect((await come(`unverified ${userName}`, false)).page.status).toBe(403);
      const { person } = await come(`first ${userName}`);
      expect((await person.ask('GET', '/endpoints', { workspace: workspace() })).status).toBe(200);
      expect((await come(`second ${userName}`)).page.status).toBe(403);
    });

    test('two requests at the same moment add one user', async () => {
      const user = entraUser();
      const answers = await Promise.all(Array.from({ length: 6 }, () => scim('POST', '/Users', user)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    });

    test('a body that is too large, or no JSON, is refused', async () => {
      expect((await scim('POST', '/Users', { userName: 'x'.repeat(1_100_000) })).status).toBe(413);
      const response = await fetch(`${place.here.hub.hubUrl}/scim/v2/Users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{',
      });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ scimType: 'invalidSyntax' }),
      ]);
    });

    test('the owner replaces and removes the token, and sees what came with it', async () => {
      const shown = (await (await owner('GET', '/team/scim')).json()) as { users: number; token: object };
      expect(shown).toMatchObject({
        is_allowed: true,
        url: `${place.here.hub.hubUrl}/scim/v2`,
        token: { default_role: 'member' },
      });
      expect(shown.users).toBeGreaterThan(3);
      const before = token;
      token = await newToken();
      expect((await scim('GET', '/Users', undefined, before)).status).toBe(401);
      expect((await scim('GET', '/Users')).status).toBe(200);
      expect((await owner('DELETE', '/team/scim/token')).status).toBe(204);
      expect((await scim('GET', '/Users')).status).toBe(401);
      expect((await owner('DELETE', '/team/scim/token')).status).toBe(404);
      token = await newToken();
    });
  });
});

test('a workspace that the operator has not named is not provisioned, also with a token from before', async () => {
  const env: Record<string, string> = { SVC_SCIM_WORKSPACES: '*' };
  await using world = await hubWorld({ env });
  const make = () => world.manage('/team/scim/token', { method: 'POST' });
  const { token } = (await (await make()).json()) as { token: string };
  const list = async () =>
    (await fetch(`${world.hub.hubUrl}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } }))
      .status;
  expect(await list()).toBe(200);
  env.SVC_SCIM_WORKSPACES = 'another';
  await world.restart();
  expect([(await make()).status, await list()]).toEqual([403, 403]);
});
