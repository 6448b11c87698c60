import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Refused } from '../../ui/refused.tsx';
import { Snippet } from '../../ui/snippet.tsx';
import { TextField } from '../../ui/text-field.tsx';

const ClaimMutation = graphql(`
  mutation ClaimDomain($input: ClaimDomainInput!) {
    claimDomain(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const DirectMutation = graphql(`
  mutation DirectDomain($input: DirectDomainInput!) {
    directDomain(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const VerifyMutation = graphql(`
  mutation VerifyDomain($input: VerifyDomainInput!) {
    verifyDomain(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const RemoveMutation = graphql(`
  mutation RemoveDomain($input: RemoveDomainInput!) {
    removeDomain(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

interface Domain {
  domain: string;
  connectionId: string | null;
  verifiedAt: string | null;
  record: { name: string; type: string; value: string };
}

interface Connection {
  id: string;
  name: string;
}

interface Props {
  domains: readonly Domain[];
  connections: readonly Connection[];
  reload: () => void;
}

/** E-mail domains whose people the sign-in page leads to a connection. */
export function Domains({ domains, connections, reload }: Props) {
  const { tenant } = useTenant();
  const { run, isRunning, failure } = useChange(ClaimMutation, (data) => data.claimDomain);
  const [domain, setDomain] = useState('');
  const claim = async (event: FormEvent) => {
    event.preventDefault();
    if ((await run({ input: { tenantId: tenant.id, domain: domain.trim().toLowerCase() } })) === undefined) return;
    setDomain('');
    reload();
  };
  return (
    <section>
      <h2>Domains</h2>
      <p>Prove that an e-mail domain is yours, and the sign-in page leads its people to a connection.</p>
      {domains.map((each) => (
        <DomainCard
          key={`${each.domain} ${each.connectionId}`}
          domain={each}
          connections={connections}
          reload={reload}
        />
      ))}
      <form className="form" onSubmit={(event) => void claim(event)}>
        <TextField label="Domain" value={domain} onChange={setDomain} hint="Such as example.com" />
        <Refused failure={failure} />
        <div className="actions">
          <button type="submit" className="primary" disabled={isRunning}>
            Claim
          </button>
        </div>
      </form>
    </section>
  );
}

const BY_MAIL = 'a link by mail';

interface CardProps {
  domain: Domain;
  connections: readonly Connection[];
  reload: () => void;
}

function DomainCard({ domain: { domain, connectionId, verifiedAt, record }, connections, reload }: CardProps) {
  const { tenant } = useTenant();
  const [chosen, setChosen] = useState(connectionId ?? '');
  const verify = useChange(VerifyMutation, (data) => data.verifyDomain);
  const input = { tenantId: tenant.id, domain };
  const wayIn = connections.find(({ id }) => id === chosen)?.name ?? BY_MAIL;
  const prove = async () => {
    if ((await verify.run({ input })) !== undefined) reload();
  };
  return (
    <section className="summary" aria-label={`Domain ${domain}`}>
      <div className="section-head">
        <h3>{domain}</h3>
        <span className={verifiedAt === null ? 'badge warn' : 'badge good'}>
          {verifiedAt === null ? 'Not proven yet' : 'Proven'}
        </span>
      </div>
      {verifiedAt === null && (
        <>
          <p>
            Publish this {record.type} record at <code>{record.name}</code>:
          </p>
          <Snippet name="record" text={record.value} />
        </>
      )}
      <div className="actions">
        <label className="field">
          <span>Its people sign in by</span>
          <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">{BY_MAIL}</option>
            {connections.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {chosen !== (connectionId ?? '') && (
          <AskedButton
            label="Change"
            target={`how people of ${domain} sign in`}
            title={`Let people of ${domain} sign in by ${wayIn}?`}
            document={DirectMutation}
            pick={(data) => data.directDomain}
            variables={{ input: { ...input, connectionId: chosen === '' ? null : chosen } }}
            onDone={reload}
          >
            <p>
              {verifiedAt === null
                ? 'The sign-in page leads them there once the domain is proven.'
                : 'The sign-in page leads them there from then on.'}
            </p>
          </AskedButton>
        )}
        {verifiedAt === null && (
          <button type="button" disabled={verify.isRunning} onClick={() => void prove()}>
            Look for the record
          </button>
        )}
        <AskedButton
          label="Remove"
          target={domain}
          title={`Let ${domain} go?`}
          document={RemoveMutation}
          pick={(data) => data.removeDomain}
          variables={{ input }}
          onDone={reload}
        >
          <p>Its people sign in by links again. To claim it anew takes a new record.</p>
        </AskedButton>
      </div>
      <Refused failure={verify.failure} />
    </section>
  );
}
