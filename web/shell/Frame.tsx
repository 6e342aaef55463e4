import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useConnection } from '../api/live/live.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { read } from '../api/read.ts';
import { DecideWhenAsked } from '../approval/DecideWhenAsked.tsx';
import { useIsOpen } from '../design/open-state.ts';
import { toastsWanted } from '../design/overlay/toasts.ts';
import { Mark } from '../design/state/Mark.tsx';
import { useNow } from '../design/time/now.ts';
import { roughSpan } from '../design/time/time-words.ts';
import { PHONE, useMedia } from '../design/use-media.ts';
import { BottomBar } from './BottomBar.tsx';
import { Shortcuts } from './keys/Shortcuts.tsx';
import { useShortcuts } from './keys/use-shortcuts.ts';
import { Palette } from './palette/Palette.tsx';
import { palette } from './palette/palette-state.ts';
import { Rail } from './Rail.tsx';
import { TabState } from './TabState.tsx';
import { TopBar } from './TopBar.tsx';

const SecondFactorNeeded = lazyPart(
  async () => (await import('../settings/SecondFactorNeeded.tsx')).SecondFactorNeeded,
);
const Toasts = lazyPart(async () => (await import('../design/overlay/Toasts.tsx')).Toasts);

/** The frame around every page. */
export function Frame() {
  useShortcuts();
  // Only one of the two is rendered: a hidden rail would cost a phone the render of a link for each page.
  const isPhone = useMedia(PHONE);
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {!isPhone && <Rail />}
      <div className="flex min-w-0 grow flex-col pb-14 sm:pb-0">
        <TopBar />
        <ConnectionBar />
        <main id="main" tabIndex={-1} className="grow outline-none">
          <PageOrSecondFactor />
        </main>
      </div>
      {isPhone && <BottomBar />}
      <TabState />
      <Shortcuts />
      <DecideWhenAsked />
      <PaletteWhenOpen />
      <ToastsWhenWanted />
    </div>
  );
}

/** A member without the second factor that the workspace demands sees no page of the workspace. */
function PageOrSecondFactor() {
  const { data } = useQuery(read('showWorkspace'));
  // A hub of an earlier version does not send the field.
  if (data?.second_factor_missing !== true) return <Outlet />;
  return (
    <Suspense>
      <SecondFactorNeeded />
    </Suspense>
  );
}

function ToastsWhenWanted() {
  const isWanted = useIsOpen(toastsWanted);
  return <Suspense>{isWanted && <Toasts />}</Suspense>;
}

function PaletteWhenOpen() {
  const isOpen = useIsOpen(palette);
  return isOpen && <Palette onClose={() => palette.set(false)} />;
}

/** A connection that is back within this time shows no notice. */
const NOTICE_DELAY_MS = 1_500;

function ConnectionBar() {
  const connection = useConnection();
  const isLost = connection.kind === 'lost';
  const nowMs = useNow(isLost ? 500 : undefined);
  const lostMs = isLost ? nowMs - connection.sinceMs : 0;
  return (
    <div role="status">
      {lostMs >= NOTICE_DELAY_MS && (
        <p className="flex items-center gap-2 border-b border-bad bg-bad-wash px-4 py-1.5 lg:px-8">
          <span className="text-bad">
            <Mark shape="broken" />
          </span>
          <span>Connection lost {roughSpan(lostMs)} ago. Data may be out of date. Reconnecting…</span>
        </p>
      )}
    </div>
  );
}
