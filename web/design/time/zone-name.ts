/** English is the language of the dashboard; each of its locales knows the short names of other zones: EST, CET, AEST, IST. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN'];

/**
 * The short name of a time zone at a moment: "EST", "CEST"; undefined where the browser knows none, and for UTC.
 *
 * NOTE: The first name that a browser looks up takes it 20 to 90 ms, so the first page asks for none before the pointer is on a time.
 *
 * @param timeZone default: that of the browser
 */
export function zoneName(atMs: number, timeZone?: string): string | undefined {
  for (const locale of LOCALES) {
    const name = formatOf(locale, timeZone)
      .formatToParts(atMs)
      .find(({ type }) => type === 'timeZoneName')?.value;
    if (name !== undefined && !/^(?:GMT|UTC)/.test(name)) return name;
  }
  return undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(locale: string, timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
  formats.set(key, format);
  return format;
}
