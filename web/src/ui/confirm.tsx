import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { Failure } from '../api/failure.ts';

interface Props {
  title: string;
  /** What the button says that does it. */
  action: string;
  children: ReactNode;
  isRunning: boolean;
  /** Why it could not be done. */
  failure: Failure | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is done. The browser's own dialog: it keeps the focus, and Escape closes it. */
export function Confirm({ title, action, children, isRunning, failure, onConfirm, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {failure !== undefined && (
        <p className="notice" role="alert">
          {failure.message}
        </p>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={isRunning} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
