import { type FormEvent, useState } from 'react';
import { Confirm } from '../../ui/confirm.tsx';
import type { PolicyFile } from './use-start-set.ts';

interface Props {
  files: readonly PolicyFile[];
  file: string;
  isReadOnly: boolean;
  onOpen: (file: string) => void;
  onAdd: (file: string) => void;
  onRemove: (file: string) => void;
}

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.ya?ml$/;

/** Which file is shown; files are added and removed here. */
export function FileBar({ files, file, isReadOnly, onOpen, onAdd, onRemove }: Props) {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <div className="actions">
      <label className="field">
        <span>File</span>
        <select value={file} onChange={({ target }) => onOpen(target.value)}>
          {files.map((each) => (
            <option key={each.file} value={each.file}>
              {each.file}
            </option>
          ))}
        </select>
      </label>
      {!isReadOnly && file !== '' && (
        <button type="button" onClick={() => setRemoving(true)}>
          Remove this file
        </button>
      )}
      {!isReadOnly && <NewFile taken={files} onAdd={onAdd} />}
      {isRemoving && (
        <Confirm
          title={`Remove ${file}?`}
          action="Remove"
          isRunning={false}
          failure={undefined}
          onConfirm={() => {
            setRemoving(false);
            onRemove(file);
          }}
          onClose={() => setRemoving(false)}
        >
          <p>Its policies are not in the next version that you save. Saved versions keep it.</p>
        </Confirm>
      )}
    </div>
  );
}

function NewFile({ taken, onAdd }: { taken: readonly PolicyFile[]; onAdd: (file: string) => void }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!NAME.test(name)) return setFault('A file is named like own-rules.yaml.');
    if (taken.some(({ file }) => file === name)) return setFault(`There is a file ${name} already.`);
    setName('');
    setFault(undefined);
    return onAdd(name);
  };
  return (
    <form className="actions" onSubmit={add}>
      <label className="field">
        <span>New file</span>
        <input
          value={name}
          maxLength={100}
          placeholder="own-rules.yaml"
          spellCheck={false}
          aria-invalid={fault !== undefined}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <button type="submit">Add</button>
      {fault !== undefined && <span role="alert">{fault}</span>}
    </form>
  );
}
