import { html as tagged } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup. Only `html` makes it, so a text that was never escaped does not compile where markup is expected. */
export type Html = HtmlEscapedString;

type Inserted = string | number | Html | readonly Html[] | undefined;

/** A piece of a page. Each inserted text is escaped; markup, and lists of it, stand as they are; undefined is nothing. */
export const html = tagged as (strings: TemplateStringsArray, ...values: Inserted[]) => Html;
