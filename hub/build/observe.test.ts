import { expect, test } from 'bun:test';
import { formToken, TOKEN_PREFIXES, type TokenKind } from '@svc/core/token/token';
import { createLogger } from './observe.ts';

const KINDS = Object.keys(TOKEN_PREFIXES) as TokenKind[];

test.each(KINDS)('the log has no token of the kind %s, wherever it stands', (kind) => {
  const token = formToken(kind, new Uint8Array(32).fill(7));
  let written = '';
  const logger = createLogger('info', { write: (line) => (written += line) });
  logger.info({ path: `/v1/ada/${token}`, header: `Bearer ${token}` }, `refused ${token}`);
  expect(JSON.parse(written)).toMatchObject({
    path: '/v1/ada/[redacted]',
    header: 'Bearer [redacted]',
    msg: 'refused [redacted]',
  });
});
