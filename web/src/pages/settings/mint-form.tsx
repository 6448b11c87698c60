import { type FormEvent, useState } from 'react';
import { MintMutation } from '../../api/mint-token.ts';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Refused } from '../../ui/refused.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Kind, scopesToGive } from './scopes.ts';

const DAYS_DEFAULT = '30';

/** The new token is shown below the form, once: it is kept nowhere. */
export function MintForm({ onDone }: { onDone: () => void }) {
  const { tenant, permissions } = useTenant();
  const { run, isRunning, failure } = useChange(MintMutation, (data) => data.mintAccessToken);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('INGEST');
  const [scopes, setScopes] = useState(['events:write']);
  const [days, setDays] = useState(DAYS_DEFAULT);
  const [token, setToken] = useState<string>();
  const mint = async (event: FormEvent) => {
    event.preventDefault();
    setToken(undefined);
    const minted = await run({ input: { tenantId: tenant.id, name, kind, scopes, days: Number(days) } });
    if (minted === undefined) return;
    setToken(minted.token ?? undefined);
    setName('');
    onDone();
  };
  const chooseKind = (chosen: Kind) => {
    setKind(chosen);
    setScopes(chosen === 'INGEST' ? ['events:write'] : ['platform:read']);
  };
  return (
    <>
      <form className="form" onSubmit={(event) => void mint(event)}>
        <h2>Mint a token</h2>
        <TextField label="Name" value={name} onChange={setName} hint="Who holds it, such as: build server" />
        <div className="form-line">
          <label htmlFor="token-kind">For</label>
          <select id="token-kind" value={kind} onChange={({ target }) => chooseKind(target.value as Kind)}>
            <option value="INGEST">Sending events</option>
            <option value="PLATFORM">Asking the platform interface</option>
          </select>
        </div>
        <CheckList legend="Allows" all={scopesToGive(kind, permissions)} chosen={scopes} onChange={setScopes} />
        <TextField label="Days until it ends" type="number" value={days} onChange={setDays} min={1} />
        <Refused failure={failure} />
        <div className="actions">
          <button type="submit" className="primary" disabled={isRunning || scopes.length === 0}>
            Mint
          </button>
          {scopes.length === 0 && <span className="muted">Choose what it allows.</span>}
        </div>
      </form>
      {token !== undefined && (
        <section aria-label="The new token">
          <p role="status">Copy the token now. It is kept nowhere and never shown again.</p>
          <Snippet name="token" text={token} />
        </section>
      )}
    </>
  );
}
