import { type ReactNode, useEffect } from 'react';
import { PAGE_WIDTH } from './classes.ts';
import { setPageTitle } from './page-title.ts';

interface PageProps {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** Replaces the title as the heading, for a name with marks around it. */
  readonly heading?: ReactNode;
  /** One sentence. */
  readonly about?: ReactNode;
  /** The buttons of the page, the most important first. */
  readonly actions?: ReactNode;
  /** On a wide screen the sections stand beside each other. */
  readonly hasColumns?: boolean;
  readonly children: ReactNode;
}

/** The layout of every page: heading, actions, content. */
export function Page({ title, heading, about, actions, hasColumns = false, children }: PageProps) {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <div className={`flex flex-col gap-6 py-4 lg:py-6 ${PAGE_WIDTH}`}>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-1">
        <h1 className="min-w-0 text-xl font-semibold wrap-anywhere">{heading ?? title}</h1>
        {/* Under the heading and its buttons, so that on a phone the buttons take no row of their own. */}
        {about !== undefined && (
          <div className="order-last basis-full">
            <p className="max-w-4xl text-soft">{about}</p>
          </div>
        )}
        {actions !== undefined && (
          <div data-page-actions="" className="flex flex-wrap gap-2">
            {actions}
          </div>
        )}
      </header>
      {hasColumns ? (
        <div className="grid items-start gap-x-12 gap-y-6 2xl:grid-cols-2">{children}</div>
      ) : (
        children
      )}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  /** Beside the title: a count, a link to the whole list. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps) {
  return (
    <section id={sectionId(title)} className="flex min-w-0 scroll-mt-16 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-lg font-semibold">{title}</h2>
        {aside !== undefined && (
          <div data-page-actions="" className="text-sm text-soft">
            {aside}
          </div>
        )}
      </div>
      {children}
    </section>
  );
}

/** The id of a section, for links to it: "email-address". */
function sectionId(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
