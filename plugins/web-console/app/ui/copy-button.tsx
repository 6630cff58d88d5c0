/** Copies a text and says so. */
import { type ReactNode, useState } from 'react';
import { TEXTS } from '../texts.ts';
import { copyText } from './copy-text.ts';

export function CopyButton({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  const [said, setSaid] = useState('');
  return (
    <>
      <button
        type="button"
        onClick={async () => setSaid((await copyText(text)) ? TEXTS.copied : TEXTS.notCopied)}
        onBlur={() => setSaid('')}
      >
        {label}
      </button>
      <span aria-live="polite">{said}</span>
    </>
  );
}
