import { html as tagged } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup. Only `html` creates it, so text that was not escaped does not compile where markup is expected. */
export type Html = HtmlEscapedString;

type Inserted = string | number | Html | readonly Html[] | undefined;

/**
 * Creates markup. Inserted text is escaped; inserted markup, and lists of it, stay as they are; undefined inserts nothing.
 */
export const html = tagged as (strings: TemplateStringsArray, ...values: Inserted[]) => Html;
