import { z } from 'zod';
import { OPEN } from '../contract/access.ts';
import { json, media } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { line } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const deviceLoginRequest = z
  .strictObject({ client_name: line('a name').optional().describe('What the page calls the program.') })
  .meta({ id: 'DeviceLoginRequest' });

const deviceLogin = z
  .strictObject({
    device_code: z.string().describe('For the program alone; asked with at `POST /auth/device/token`.'),
    user_code: z.string().describe('For the person, who compares or types it.'),
    verification_uri: z.url(),
    verification_uri_complete: z.url().describe('The same page, with the code filled in.'),
    expires_in: z.int().describe('Seconds.'),
    interval: z.int().describe('Seconds to wait between two questions.'),
  })
  .meta({ id: 'DeviceLogin' });

const deviceTokenRequest = z
  .strictObject({
    device_code: z.string({ error: 'a device code' }).max(200, { error: 'a device code' }),
  })
  .meta({ id: 'DeviceTokenRequest' });

const deviceToken = z
  .strictObject({
    access_token: z.string().describe('For `Authorization: Bearer`; shown only here.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds.'),
    username: z.string().nullable().describe('Of the workspace that the token is bound to.'),
  })
  .meta({ id: 'DeviceToken' });

const WAITS = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'] as const;

const deviceTokenError = z
  .strictObject({
    error: z.enum(WAITS).describe('In the words of RFC 8628, 3.5.'),
    error_description: z.string().describe('For people.'),
    code: z.enum(WAITS).describe('The same as `error`; here is where all other errors have it.'),
  })
  .meta({ id: 'DeviceTokenError' });

const PAGE = media('text/html', 'A page.');

/** Programs sign in with a code that a person confirms in a browser (RFC 8628, decision 44). */
export const deviceRouteRows = {
  startDeviceLogin: {
    method: 'POST',
    path: '/auth/device',
    summary: 'Begin to sign in a program',
    description:
      'The codes work for ten minutes and once. The shape is that of RFC 8628, with JSON in the request.',
    access: OPEN,
    body: optionalBody(deviceLoginRequest, { client_name: 'svc on build-1' }),
    answers: {
      200: json('Show the address and the code to a person.', deviceLogin, {
        device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0k',
        user_code: 'WDJB-MJHT',
        verification_uri: 'https://svc.example.com/device',
        verification_uri_complete: 'https://svc.example.com/device?user_code=WDJB-MJHT',
        expires_in: 600,
        interval: 5,
      }),
    },
    refusals: ['rate_limited'],
  },
  pollDeviceLogin: {
    method: 'POST',
    path: '/auth/device/token',
    summary: 'Ask for the token of a program that signs in',
    access: OPEN,
    body: body(deviceTokenRequest, { device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0k' }),
    answers: {
      200: json('A token that works for 30 days.', deviceToken, {
        access_token: 'svc_pat_1yJ8…',
        token_type: 'Bearer',
        expires_in: 2_592_000,
        username: 'ada',
      }),
      400: json('There is no token yet, or there will be none.', deviceTokenError, {
        error: 'authorization_pending',
        error_description: 'nobody has decided yet',
        code: 'authorization_pending',
      }),
    },
  },
  showDevice: {
    method: 'GET',
    path: '/device',
    summary: 'Show the page on which a program is confirmed',
    description: 'Decides nothing. Without a session it shows how to get one.',
    access: OPEN,
    query: z.strictObject({
      user_code: z.string().max(100, { error: 'the code that the program shows' }).optional(),
    }),
    answers: { 200: PAGE, 401: PAGE, 404: PAGE },
    refusals: ['rate_limited'],
    refusesOn: 'page',
  },
  decideDevice: {
    method: 'POST',
    path: '/device',
    summary: 'Say yes or no to a program, in a browser',
    description: 'The form of the page: `user_code`, `decision` (`approve` or `deny`) and `workspace`.',
    access: OPEN,
    answers: { 200: PAGE, 401: PAGE, 404: PAGE },
    refusals: [
      'invalid_argument',
      'unsupported_media_type',
      'payload_too_large',
      'forbidden',
      'rate_limited',
    ],
    refusesOn: 'page',
  },
  signInForDevice: {
    method: 'POST',
    path: '/device/sign-in',
    summary: 'Ask for a sign-in link on the way to a program, in a browser',
    description: 'The form of the page: `email` and `user_code`.',
    access: OPEN,
    answers: { 202: PAGE },
    refusals: [
      'invalid_argument',
      'unsupported_media_type',
      'payload_too_large',
      'forbidden',
      'rate_limited',
    ],
    refusesOn: 'page',
  },
} as const satisfies Routes;
