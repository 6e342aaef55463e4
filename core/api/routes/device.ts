import { z } from 'zod';
import { OPEN } from '../contract/access.ts';
import { json, media } from '../contract/answer.ts';
import { body, optionalBody } from '../contract/body.ts';
import { line } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';

const deviceLoginRequest = z
  .strictObject({ client_name: line('a name').optional().describe('The name of the program on the page.') })
  .meta({ id: 'DeviceLoginRequest' });

const deviceLogin = z
  .strictObject({
    device_code: z.string().describe('A secret of the program for `POST /auth/device/token`.'),
    user_code: z.string().describe('The code that the person compares or types.'),
    verification_uri: z.url(),
    verification_uri_complete: z.url().describe('The same page, with the code filled in.'),
    expires_in: z.int().describe('Seconds.'),
    interval: z.int().describe('Seconds to wait between two requests.'),
  })
  .meta({ id: 'DeviceLogin' });

const deviceTokenRequest = z
  .strictObject({
    device_code: z.string({ error: 'a device code' }).max(200, { error: 'a device code' }),
  })
  .meta({ id: 'DeviceTokenRequest' });

const deviceToken = z
  .strictObject({
    access_token: z.string().describe('For `Authorization: Bearer`. It is shown only in this answer.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds.'),
    username: z.string().nullable().describe('The username of the workspace that the token is bound to.'),
  })
  .meta({ id: 'DeviceToken' });

const WAITS = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied'] as const;

const deviceTokenError = z
  .strictObject({
    error: z.enum(WAITS).describe('An error code of RFC 8628, 3.5.'),
    error_description: z.string().describe('A message for people.'),
    code: z.enum(WAITS).describe('The same as `error`, in the field that all other errors use.'),
  })
  .meta({ id: 'DeviceTokenError' });

const PAGE = media('text/html', 'A page.');

/** Programs sign in with a code that a person confirms in a browser (RFC 8628, decision 44, sign-in). */
export const deviceRouteRows = {
  startDeviceLogin: {
    method: 'POST',
    path: '/auth/device',
    summary: 'Start the sign-in of a program',
    description:
      'Each code works once, for ten minutes. The flow is that of RFC 8628, with JSON in the request.',
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
    summary: 'Request the token of a program that signs in',
    access: OPEN,
    body: body(deviceTokenRequest, { device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0k' }),
    answers: {
      200: json('A token that works for 30 days.', deviceToken, {
        access_token: 'svc_pat_1yJ8…',
        token_type: 'Bearer',
        expires_in: 2_592_000,
        username: 'ada',
      }),
      400: json('There is no token yet, or the sign-in failed.', deviceTokenError, {
        error: 'authorization_pending',
        error_description: 'the request is not decided yet',
        code: 'authorization_pending',
      }),
    },
  },
  showDevice: {
    method: 'GET',
    path: '/device',
    summary: 'Show the page that confirms a program',
    description: 'Opening the page decides nothing. Without a session the page shows how to sign in.',
    access: OPEN,
    query: z.strictObject({
      user_code: z.string().max(100, { error: 'the code that the program shows' }).optional(),
    }),
    answers: { 200: PAGE, 401: PAGE, 404: PAGE },
    refusals: ['second_factor_required', 'rate_limited'],
    refusesOn: 'page',
  },
  decideDevice: {
    method: 'POST',
    path: '/device',
    summary: 'Approve or deny a program, in a browser',
    description: 'Takes the form of the page: `user_code`, `decision` (`approve` or `deny`) and `workspace`.',
    access: OPEN,
    answers: { 200: PAGE, 401: PAGE, 404: PAGE },
    refusals: [
      'invalid_argument',
      'unsupported_media_type',
      'payload_too_large',
      'forbidden',
      'second_factor_required',
      'rate_limited',
    ],
    refusesOn: 'page',
  },
  signInForDevice: {
    method: 'POST',
    path: '/device/sign-in',
    summary: 'Request a sign-in link that leads to a program, in a browser',
    description: 'Takes the form of the page: `email` and `user_code`.',
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
