import { useState } from 'react';

/** Something to be copied whole. `name` says what it is, as in "Copy the token". */
export function Snippet({ name, text }: { name: string; text: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(text);
  };
  return (
    <div className="snippet">
      <pre>{text}</pre>
      {window.isSecureContext && (
        <button type="button" className="quiet" onClick={() => void copy()}>
          {copied === text ? 'Copied' : `Copy the ${name}`}
        </button>
      )}
    </div>
  );
}
