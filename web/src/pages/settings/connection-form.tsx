import { type FormEvent, useId, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Preset, TEMPLATES } from './connection-templates.ts';

const MakeMutation = graphql(`
  mutation MakeConnection($input: MakeSsoConnectionInput!) {
    makeSsoConnection(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const ChangeMutation = graphql(`
  mutation ChangeConnection($input: ChangeSsoConnectionInput!) {
    changeSsoConnection(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

interface Props {
  /** Undefined for a new one. */
  connection: { id: string; name: string; settings: string } | undefined;
  onDone: () => void;
  onClose: () => void;
}

/** The settings are the JSON that the service documents: a template to fill in for a new connection. */
export function ConnectionForm({ connection, onDone, onClose }: Props) {
  const { tenant } = useTenant();
  const make = useChange(MakeMutation, (data) => data.makeSsoConnection);
  const change = useChange(ChangeMutation, (data) => data.changeSsoConnection);
  const [preset, setPreset] = useState<Preset>('oidc');
  const [name, setName] = useState(connection?.name ?? '');
  const [settings, setSettings] = useState(
    connection === undefined ? TEMPLATES.oidc.settings : editable(connection.settings),
  );
  const textId = useId();
  const fault = jsonFault(settings);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const given = { tenantId: tenant.id, name, settings };
    const done =
      connection === undefined
        ? await make.run({ input: { ...given, kind: TEMPLATES[preset].kind } })
        : await change.run({ input: { ...given, id: connection.id } });
    if (done !== undefined) onDone();
  };
  const choose = (chosen: Preset) => {
    setPreset(chosen);
    setSettings(TEMPLATES[chosen].settings);
  };
  return (
    <form className="form" onSubmit={(event) => void save(event)}>
      <h3>{connection === undefined ? 'New connection' : 'Edit the connection'}</h3>
      {connection === undefined && (
        <div className="form-line">
          <label htmlFor="connection-kind">Kind</label>
          <select id="connection-kind" value={preset} onChange={({ target }) => choose(target.value as Preset)}>
            {Object.entries(TEMPLATES).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      <TextField label="Name" value={name} onChange={setName} />
      <div className="form-line">
        <label htmlFor={textId}>Settings as JSON</label>
        <textarea
          id={textId}
          value={settings}
          spellCheck={false}
          aria-describedby={`${textId}-hint`}
          onChange={({ target }) => setSettings(target.value)}
        />
        <p id={`${textId}-hint`} className="muted">
          {fault ?? 'A client secret is never shown. Left out, the one of before stays.'}
        </p>
      </div>
      <Refused failure={make.failure ?? change.failure} />
      <div className="actions">
        <button type="submit" className="primary" disabled={make.isRunning || change.isRunning || fault !== undefined}>
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What the service says of the secret is not what it takes. */
function editable(text: string): string {
  const { clientSecretSet: _, ...settings } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(settings, null, 2);
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}
