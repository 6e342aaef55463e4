import { useAccount } from '../account/account.ts';
import { lazyPart } from '../api/live/load-part.ts';
import { MenuButton } from '../design/overlay/MenuButton.tsx';

const MeItems = lazyPart(async () => (await import('./MeItems.tsx')).MeItems);

/** The account menu: theme, shortcuts, sign out. */
export function MeMenu() {
  const { email } = useAccount();
  return (
    <MenuButton
      label={`Account ${email}`}
      className="flex size-8 cursor-pointer items-center justify-center rounded border border-edge bg-raised font-semibold uppercase hover:border-ink"
      menu={(open) => <MeItems {...open} />}
    >
      {email.charAt(0)}
    </MenuButton>
  );
}
