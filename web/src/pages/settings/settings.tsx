import { Content, List, Root, Trigger } from '@radix-ui/react-tabs';
import type { ComponentType } from 'react';
import { useLocation, useParams } from 'wouter';
import { PageHead } from '../../ui/shell.tsx';
import { GeneralTab } from './general.tsx';
import { IssuersTab } from './issuers.tsx';
import { LoginSessionsTab } from './login-sessions.tsx';
import { MembersTab } from './members.tsx';
import { SignOnTab } from './sign-on.tsx';
import { TokensTab } from './tokens.tsx';

const TABS: readonly { id: string; label: string; Tab: ComponentType }[] = [
  { id: 'general', label: 'General', Tab: GeneralTab },
  { id: 'members', label: 'Members', Tab: MembersTab },
  { id: 'tokens', label: 'Tokens', Tab: TokensTab },
  { id: 'single-sign-on', label: 'Single sign-on', Tab: SignOnTab },
  { id: 'issuers', label: 'Issuers', Tab: IssuersTab },
  { id: 'your-sessions', label: 'Your sessions', Tab: LoginSessionsTab },
];

/** What a tenant is set to, who may do what in it, and where one is signed in. */
export function SettingsPage() {
  const { tab } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const current = TABS.find(({ id }) => id === tab)?.id ?? 'general';
  return (
    <>
      <PageHead title="Settings" />
      <Root value={current} onValueChange={(id) => navigate(`/settings/${id}`)} activationMode="manual">
        <List aria-label="Settings">
          {TABS.map(({ id, label }) => (
            <Trigger key={id} value={id}>
              {label}
            </Trigger>
          ))}
        </List>
        {TABS.map(({ id, Tab }) => (
          <Content key={id} value={id} tabIndex={-1}>
            <Tab />
          </Content>
        ))}
      </Root>
    </>
  );
}
