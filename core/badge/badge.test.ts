import { expect, test } from 'bun:test';
import { badgeSvg } from './badge.ts';

test.each(['online', 'offline', 'unknown user'] as const)(
  'the badge says "%s" to eyes and to screen readers',
  (status) => {
    const svg = badgeSvg(status);
    expect(svg).toContain(`aria-label="agent: ${status}"`);
    expect(svg).toContain(`<title>agent: ${status}</title>`);
    expect(svg).toContain(`>${status}</text>`);
    // Every element that is opened is closed.
    const opened = [...svg.matchAll(/<(\w+)\b(?:[^>/]|\/(?!>))*>/g)].map((match) => match[1]);
    const closed = [...svg.matchAll(/<\/(\w+)>/g)].map((match) => match[1]);
    expect(closed.toSorted()).toEqual(opened.toSorted());
  },
);
