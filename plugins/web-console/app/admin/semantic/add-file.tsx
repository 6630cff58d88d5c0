/** Asks for the path of a new file, and opens it. */
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/failure.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { FormFields } from '../form-fields.tsx';
import { isFilePath } from './file-path.ts';
import { addressOf } from './layer-links.tsx';
import { SEMANTIC as T } from './texts.ts';

const NO_PATH = new ApiError({ message: T.noPath, status: 0, details: [{ path: 'path', message: T.noPath }] });

export function AddFileButton(): ReactNode {
  const [, navigate] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const [path, setPath] = useState('');
  const [error, setError] = useState<unknown>();
  const add = () => {
    if (isFilePath(path.trim())) navigate(addressOf(path.trim(), 'yaml'));
    else setError(NO_PATH);
  };
  return (
    <>
      <button type="button" data-kind="primary" onClick={() => setIsOpen(true)}>
        {T.addTitle}
      </button>
      {isOpen && (
        <FormDialog title={T.addTitle} action={T.add} onSubmit={add} onClose={() => setIsOpen(false)}>
          <FormFields
            fields={[{ name: 'path', label: T.path, hint: T.pathHint, isRequired: true, maxLength: 512 }]}
            values={{ path }}
            error={error}
            onChange={(_, value) => setPath(value)}
          />
        </FormDialog>
      )}
    </>
  );
}
