import { useAccount } from '../account/account.ts';
import { useSignOut } from '../account/use-sign-out.ts';
import { Check } from '../design/icons.tsx';
import type { OpenMenu } from '../design/overlay/MenuButton.tsx';
import { MenuHeading, MenuItem, MenuPopup } from '../design/overlay/MenuPopup.tsx';
import { chooseTheme, THEMES, useTheme } from '../design/theme.ts';
import { showShortcuts } from './keys/shortcuts-state.ts';

const THEME_WORDS = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' } as const;

/** The menu of the signed-in person. */
export function MeItems(open: OpenMenu) {
  const { email, role } = useAccount();
  const theme = useTheme();
  const { signOut } = useSignOut('signOut');
  return (
    <MenuPopup {...open}>
      <MenuHeading>
        {email}, {role}
      </MenuHeading>
      {THEMES.map((one) => (
        <MenuItem key={one} onClick={() => chooseTheme(one)}>
          <span aria-hidden="true" className="w-4">
            {one === theme && <Check className="size-4" />}
          </span>
          {THEME_WORDS[one]}
          {one === theme && <span className="sr-only">, selected</span>}
        </MenuItem>
      ))}
      <MenuHeading>More</MenuHeading>
      <MenuItem onClick={showShortcuts}>
        <span className="w-4" />
        Keyboard shortcuts
      </MenuItem>
      <MenuItem onClick={signOut}>
        <span className="w-4" />
        Sign out
      </MenuItem>
    </MenuPopup>
  );
}
