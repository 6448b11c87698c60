import { useEffect, useMemo, useState } from 'react';
import { useLock, useTenant } from '../../api/viewer.ts';
import { CodeEditor } from '../../editor/code-editor.tsx';
import { FaultList } from './fault-list.tsx';
import { FileBar } from './file-bar.tsx';
import type { Fault } from './queries.ts';
import { SavePanel } from './save-panel.tsx';
import { TestPanel } from './test-panel.tsx';
import { TrialPanel } from './trial-panel.tsx';
import { useCheck } from './use-check.ts';
import type { PolicyFile, StartSet } from './use-start-set.ts';
import { versionName } from './versions.ts';

interface Props {
  start: StartSet;
  /** What to open first. */
  file: string | undefined;
  line: number | undefined;
}

interface Target {
  line: number;
  column: number;
}

/** Edits that were left with changes, by tenant and version: who comes back finds them, as long as the page is not reloaded. */
const drafts = new Map<string, Pick<StartSet, 'files' | 'newest'>>();

/** An edit of a policy set: its files, what is wrong with them, and what to do with them. */
export function Workbench({ start, file: wanted, line }: Props) {
  const { tenant } = useTenant();
  const lock = useLock('policies', 'changing policies');
  const isReadOnly = lock !== undefined;
  const draftKey = `${tenant.id} ${start.version}`;
  const [files, setFiles] = useState(() => drafts.get(draftKey)?.files ?? start.files);
  /** Counts how often texts were replaced from outside of the editor. */
  const [revision, setRevision] = useState(0);
  // What was saved since a draft was begun was not seen by it.
  const [saved, setSaved] = useState(() => ({ ...start, newest: drafts.get(draftKey)?.newest ?? start.newest }));
  const [file, setFile] = useState(() => (files.find((each) => each.file === wanted) ?? files[0])?.file ?? '');
  const [target, setTarget] = useState<Target | undefined>(line === undefined ? undefined : { line, column: 1 });
  const check = useCheck(tenant.id, files, isReadOnly);
  const isDirty = !isSame(files, saved.files);
  useWarning(isDirty);
  useEffect(() => {
    if (isDirty) drafts.set(draftKey, { files, newest: saved.newest });
    else drafts.delete(draftKey);
  }, [draftKey, files, isDirty, saved.newest]);
  const marks = useMemo(() => {
    const found = check.faults.length > 0 ? check.faults : check.warnings;
    const severity = check.faults.length > 0 ? ('error' as const) : ('warning' as const);
    return found.filter((fault) => fault.file === file).map((fault) => ({ ...fault, severity }));
  }, [check.faults, check.warnings, file]);

  const open = (name: string, at?: Target) => {
    setFile(name);
    setTarget(at);
  };
  const change = (text: string) => setFiles((old) => old.map((each) => (each.file === file ? { file, text } : each)));
  const discard = () => {
    setFiles(saved.files);
    setRevision(revision + 1);
    open(saved.files.some((each) => each.file === file) ? file : (saved.files[0]?.file ?? ''));
  };
  const current = files.find((each) => each.file === file);
  const trial = { files, version: isDirty ? null : saved.version };
  return (
    <>
      <p>
        {isDirty ? 'Changed since ' : 'The same as '}
        <strong>{versionName(saved.version)}</strong>.{' '}
        {isDirty && (
          <button type="button" onClick={discard}>
            Discard changes
          </button>
        )}
      </p>
      {lock !== undefined && <p className="notice">{lock}</p>}
      <FileBar
        files={files}
        file={file}
        isReadOnly={isReadOnly}
        onOpen={open}
        onAdd={(name) => {
          setFiles([...files, { file: name, text: newText(name) }]);
          open(name);
        }}
        onRemove={(name) => {
          const left = files.filter((each) => each.file !== name);
          setFiles(left);
          open(left[0]?.file ?? '');
        }}
      />
      {current === undefined ? (
        <p className="state">There is no file. Add one.</p>
      ) : (
        <CodeEditor
          key={`${revision} ${file}`}
          label={`Text of ${file}`}
          text={current.text}
          marks={marks}
          isReadOnly={isReadOnly}
          target={target}
          onChange={change}
        />
      )}
      {!isReadOnly && (
        <>
          <FaultList
            check={check}
            onOpen={(fault: Fault) => open(fault.file, { line: fault.line, column: fault.column })}
          />
          <SavePanel
            files={files}
            newestSeen={saved.newest}
            reason={reasonNotToSave(check, isDirty)}
            onSaved={(version) => setSaved({ version, files, newest: version })}
          />
          <TestPanel files={files} />
          <TrialPanel {...trial} />
        </>
      )}
    </>
  );
}

function reasonNotToSave(
  { isChecking, faults, failure }: ReturnType<typeof useCheck>,
  isDirty: boolean,
): string | undefined {
  if (!isDirty) return 'Nothing was changed.';
  if (isChecking) return 'The files are being checked.';
  if (failure !== undefined) return 'The files could not be checked.';
  return faults.length > 0 ? 'Mend the faults first.' : undefined;
}

function isSame(some: readonly PolicyFile[], others: readonly PolicyFile[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ file, text }, index) => file === others[index]?.file && text === others[index].text)
  );
}

/** The browser asks before the page is left with changes that are not saved. */
function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
}

function newText(file: string): string {
  const name = file
    .replace(/^.*\//, '')
    .replace(/\.ya?ml$/, '')
    .toLowerCase();
  return `apiVersion: gatehouse/v1
kind: PolicySet
metadata: { name: ${name} }
spec:
  policies:
    - id: ${name}.example
      title: What it does, in one sentence
      on: tool_invocation
      severity: medium
      mode: shadow
      match: { toolKind: shell }
      when: 'shell.names.exists(n, n == "example")'
      effect: block
      reason: Why it is blocked
      tests:
        - name: the command itself
          event: { tool_invocation: { name: Bash, input: { command: example } } }
          expect: block
`;
}
