import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import { escapeHtml } from '@svc/core/html/escape-html';
import { Refusal } from '@svc/core/refusal';
import { page } from './page.ts';

/** Shows a refusal as a page with this title. */
export async function onPage(title: string, show: () => Promise<Response>): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retry_after_s: retryAfterSec } = error.details;
    const headers = retryAfterSec === undefined ? {} : { 'Retry-After': String(Number(retryAfterSec)) };
    return page(title, `<p>${escapeHtml(error.message)}.</p>`, REFUSAL_STATUS[error.code], headers);
  }
}
