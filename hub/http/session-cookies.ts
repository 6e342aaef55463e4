import { readCookie, setCookie } from '../platform/http/cookie.ts';

const LIFE_SEC = 14 * 24 * 60 * 60;

const SESSION = 'svc_session';

export function sessionCookie(hubUrl: string, token: string): string {
  return setCookie(hubUrl, SESSION, token, LIFE_SEC);
}

const PENDING = 'svc_pending_session';

export function pendingSessionCookie(hubUrl: string, token: string, lifeSec: number): string {
  return setCookie(hubUrl, PENDING, token, lifeSec);
}

export function endedPendingSessionCookie(hubUrl: string): string {
  return setCookie(hubUrl, PENDING, '', 0);
}

export function endedSessionCookie(hubUrl: string): string {
  return setCookie(hubUrl, SESSION, '', 0);
}

/** The token in the session cookie of a request. */
export function sessionCookieOf(request: Request, hubUrl: string): string | undefined {
  return readCookie(request, hubUrl, SESSION);
}

/** The token of a sign-in whose second factor is not proved yet. */
export function pendingSessionCookieOf(request: Request, hubUrl: string): string | undefined {
  return readCookie(request, hubUrl, PENDING);
}
