import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIFETIME_SEC } from './lifetime.ts';
import { Lines } from './lines.ts';
import { CLIENT_ID, type TestProvider } from './openid-providers.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** With characters that a client writes as `%2D` in HTTP Basic: this provider does not read them back. */
export const LEMON_SECRET = 'a-secret_of.the-tests';

const TEMPLATES = '/usr/share/lemonldap-ng/portal/templates';

/** Why there can be no LemonLDAP::NG here; undefined where there can. */
export const lemonldapMissing: string | undefined =
  Bun.which('plackup') === null || !existsSync(TEMPLATES)
    ? 'LemonLDAP::NG is not installed (Debian package liblemonldap-ng-portal-perl)'
    : undefined;

/**
 * LemonLDAP::NG of Debian, an implementation in Perl that shares no code with ours, as a process on a port of loopback. It has the
 * people of its demonstration, whose password is their name: `dwho` in the groups `users` and `timelords`, `rtyler` in `users` and
 * `earthlings`, each with a verified address in badwolf.org.
 */
export async function startLemonldap(issuer: string, redirectUris: readonly string[]): Promise<TestProvider> {
  const folder = await temporaryFolder();
  const stores = ['conf', 'sessions', 'persistent', 'codes', 'locks'].map((name) => join(folder.path, name));
  for (const store of stores) await mkdir(store);
  const [conf = '', sessions = '', persistent = '', codes = '', locks = ''] = stores;
  const [ini, app] = [join(folder.path, 'lemonldap-ng.ini'), join(folder.path, 'portal.psgi')];
  const store = (Directory: string) => ({ Directory, LockDirectory: locks });
  const portal = {
    ...portalOf(issuer, redirectUris),
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: store(sessions),
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: store(persistent),
    oidcStorage: 'Apache::Session::File',
    oidcStorageOptions: store(codes),
  };
  await Bun.write(join(conf, 'lmConf-1.json'), JSON.stringify(portal));
  await Bun.write(ini, iniOf(conf));
  await Bun.write(app, APP);
  const address = ['--host', '127.0.0.1', '--port', new URL(issuer).port];
  const server = ['plackup', '-s', 'HTTP::Server::PSGI', '--no-default-middleware', ...address, app];
  const child = Bun.spawn(['timeout', String(LIFETIME_SEC), ...server], {
    env: { PATH: process.env.PATH ?? '', LLNG_DEFAULTCONFFILE: ini },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Lines(child.stderr).find(/Accepting connections/);
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The portal loads its picture puzzles at the start, switched off or not. They need a library for pictures. */
const APP = `use Lemonldap::NG::Portal::Main;
package Lemonldap::NG::Portal::Captcha::None { use Mouse; extends 'Lemonldap::NG::Portal::Main::Plugin'; sub init { 1 } }
$INC{'Lemonldap/NG/Portal/Captcha/None.pm'} = 1;
Lemonldap::NG::Portal::Main->run({});
`;

const iniOf = (conf: string) => `[all]
logLevel = warn
logger = Lemonldap::NG::Common::Logger::Std
userLogger = Lemonldap::NG::Common::Logger::Std
localSessionStorage =
[configuration]
type = File
dirName = ${conf}
localStorage = Cache::NullCache
[portal]
templateDir = ${TEMPLATES}
staticPrefix = /static
languages = en
`;

function portalOf(issuer: string, redirectUris: readonly string[]) {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return {
    cfgNum: 1,
    cfgDate: 1,
    cfgAuthor: 'a test',
    cfgVersion: '2.16.1',
    portal: `${issuer}/`,
    domain: '127.0.0.1',
    securedCookie: 0,
    cookieName: 'lemonldap',
    key: crypto.randomUUID(),
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Null',
    registerDB: 'Null',
    captcha: '::Captcha::None',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    whatToTrace: 'uid',
    locationRules: {},
    exportedHeaders: {},
    requireToken: 0,
    issuerDBOpenIDConnectActivation: 1,
    issuerDBOpenIDConnectPath: '^/oauth2/',
    issuerDBOpenIDConnectRule: 1,
    oidcServiceMetaDataIssuer: issuer,
    oidcServicePrivateKeySig: keys.privateKey,
    oidcServicePublicKeySig: keys.publicKey,
    oidcServiceKeyIdSig: 'of the tests',
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcRPMetaDataOptions: {
      svc: {
        oidcRPMetaDataOptionsClientID: CLIENT_ID,
        oidcRPMetaDataOptionsClientSecret: LEMON_SECRET,
        oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
        oidcRPMetaDataOptionsRequirePKCE: 1,
        oidcRPMetaDataOptionsBypassConsent: 1,
        oidcRPMetaDataOptionsRedirectUris: redirectUris.join(' '),
        oidcRPMetaDataOptionsUserIDAttr: 'uid',
      },
    },
    oidcRPMetaDataExportedVars: {
      svc: {
        email: 'mail',
        name: 'cn',
        groups: 'groups;string;always',
        email_verified: 'verified;bool;auto',
      },
    },
    oidcRPMetaDataMacros: { svc: { verified: '1' } },
    oidcRPMetaDataOptionsExtraClaims: { svc: { groups: 'groups' } },
  };
}
