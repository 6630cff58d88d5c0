/** Asks for the path of a new file, and opens it. */
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { FormDialog } from '../../ui/dialog.tsx';
import { FormFields } from '../form-fields.tsx';
import { addressOf } from './layer-links.tsx';
import { SEMANTIC as T } from './texts.ts';

export function AddFileButton(): ReactNode {
  const [, navigate] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const [path, setPath] = useState('');
  return (
    <>
      <button type="button" data-kind="primary" onClick={() => setIsOpen(true)}>
        {T.addTitle}
      </button>
      {isOpen && (
        <FormDialog
          title={T.addTitle}
          action={T.add}
          onSubmit={() => navigate(addressOf(path.trim(), 'yaml'))}
          onClose={() => setIsOpen(false)}
        >
          <FormFields
            fields={[{ name: 'path', label: T.path, hint: T.pathHint, isRequired: true, maxLength: 512 }]}
            values={{ path }}
            onChange={(_, value) => setPath(value)}
          />
        </FormDialog>
      )}
    </>
  );
}
