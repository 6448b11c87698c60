import { lazy, Suspense, useState } from 'react';
import { useLoaded } from '../../api/use-loaded.ts';
import { useTenant } from '../../api/viewer.ts';
import { Plain } from '../../ui/plain.tsx';
import { Answered, Loading } from '../../ui/states.tsx';
import { PolicyDiffQuery } from './queries.ts';
import { type Sides, versionName } from './versions.ts';

const DiffView = lazy(async () => ({ default: (await import('../../editor/diff-view.tsx')).DiffView }));

interface Props {
  versions: readonly number[];
  /** What is compared from the start; undefined: the newest version with the one before, once that is asked for. */
  asked: Sides | undefined;
}

/** What differs between two versions, file by file. */
export function DiffPanel({ versions: listed, asked }: Props) {
  const [newest = null, before = null] = listed;
  const [sides, setSides] = useState<Sides>(asked ?? { from: before, to: newest });
  const [isOpen, setOpen] = useState(asked !== undefined);
  const chosen = [sides.from, sides.to].filter((version) => version !== null);
  const versions = [...new Set([...listed, ...chosen])].toSorted((a, b) => b - a);
  return (
    <section>
      <div className="section-head">
        <h2>Differences</h2>
        <VersionSelect
          label="From"
          versions={versions}
          value={sides.from}
          onChange={(from) => setSides({ ...sides, from })}
        />
        <VersionSelect label="To" versions={versions} value={sides.to} onChange={(to) => setSides({ ...sides, to })} />
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </button>
      </div>
      {isOpen && <Differences sides={sides} />}
    </section>
  );
}

interface SelectProps {
  label: string;
  versions: readonly number[];
  value: number | null;
  onChange: (version: number | null) => void;
}

function VersionSelect({ label, versions, value, onChange }: SelectProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <select
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
      >
        {[...versions, null].map((version) => (
          <option key={version ?? ''} value={version ?? ''}>
            {versionName(version)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Differences({ sides }: { sides: Sides }) {
  const { tenant } = useTenant();
  const key = `${tenant.id} ${sides.from} ${sides.to}`;
  const { data, failure, reload } = useLoaded(PolicyDiffQuery, () => ({ tenant: tenant.id, ...sides }), key);
  return (
    <Answered what="differences" answer={data?.tenant?.policySetDiff} failure={failure} retry={reload}>
      {(files) =>
        files.length === 0 ? (
          <p className="state">Their files are the same.</p>
        ) : (
          <Suspense fallback={<Loading what="differences" />}>
            {files.map(({ file, before, after }) => (
              <div key={`${key} ${file}`} className="file-difference">
                <h3>
                  <Plain text={file} /> {before === null && <span className="badge good">new</span>}
                  {after === null && <span className="badge bad">taken out</span>}
                </h3>
                <DiffView label={`Differences in ${file}`} before={before ?? ''} after={after ?? ''} />
              </div>
            ))}
          </Suspense>
        )
      }
    </Answered>
  );
}
