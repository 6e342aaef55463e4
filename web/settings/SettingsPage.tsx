import { Page, Section } from '../design/Page.tsx';
import { AccessTokens } from './AccessTokens.tsx';
import { Appearance } from './Appearance.tsx';
import { DeleteWorkspace } from './DeleteWorkspace.tsx';
import { Sessions } from './Sessions.tsx';

/** Settings of the person, and the deletion of the workspace. */
export function SettingsPage() {
  return (
    <Page title="Settings" about="Appearance, active sessions and access tokens.">
      <Section title="Appearance">
        <Appearance />
      </Section>
      <Section title="Active sessions">
        <Sessions />
      </Section>
      <Section title="Access tokens">
        <AccessTokens />
      </Section>
      <Section title="Delete workspace">
        <DeleteWorkspace />
      </Section>
    </Page>
  );
}
