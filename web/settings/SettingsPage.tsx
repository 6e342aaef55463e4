import { Page, Section } from '../design/Page.tsx';
import { AccessTokens } from './AccessTokens.tsx';
import { Appearance } from './Appearance.tsx';
import { DeleteWorkspace } from './DeleteWorkspace.tsx';
import { Sessions } from './Sessions.tsx';

/** What belongs to the person, and the end of the workspace. */
export function SettingsPage() {
  return (
    <Page
      title="Settings"
      about="How this browser shows things, where you are signed in, and what acts in your name."
    >
      <Section title="Appearance">
        <Appearance />
      </Section>
      <Section title="Browsers that are signed in">
        <Sessions />
      </Section>
      <Section title="Access tokens">
        <AccessTokens />
      </Section>
      <Section title="End of the workspace">
        <DeleteWorkspace />
      </Section>
    </Page>
  );
}
