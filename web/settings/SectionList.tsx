import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useState } from 'react';

interface ListedSection {
  readonly id: string;
  readonly title: string;
}

/** Links to the sections of a long page, which stay beside it. Some sections appear when their data is read. */
export function SectionList({ of }: { readonly of: RefObject<HTMLElement | null> }) {
  const sections = useSections(of);
  return (
    <nav aria-label="Sections" className="sticky top-16 -ml-3 hidden self-start lg:block">
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <Link
              to="."
              hash={id}
              activeOptions={{ includeHash: true }}
              className="block rounded px-3 py-1.5 text-soft hover:bg-accent-wash hover:text-ink aria-[current]:font-semibold aria-[current]:text-ink"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function useSections(of: RefObject<HTMLElement | null>): readonly ListedSection[] {
  const [sections, setSections] = useState<readonly ListedSection[]>([]);
  useEffect(() => {
    const place = of.current;
    if (place === null) return;
    const update = () => {
      const found = [...place.querySelectorAll<HTMLElement>('section[id]')].map(
        ({ id, firstElementChild }) => ({
          id,
          title: firstElementChild?.querySelector('h2')?.textContent ?? id,
        }),
      );
      setSections((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found));
    };
    update();
    const observer = new MutationObserver(update);
    observer.observe(place, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [of]);
  return sections;
}
