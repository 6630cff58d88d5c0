/** Lists what a file was before, shows a version against the present file, and restores it. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { TEXTS } from '../../texts.ts';
import { Alert } from '../../ui/alert.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { Text } from '../parts.tsx';
import type { Column } from '../resource.ts';
import type { Drafts } from './drafts.ts';
import {
  type FileVersion,
  isConflict,
  isReadOnly,
  newestFile,
  restoreVersion,
  useVersion,
  useVersions,
} from './layer-queries.ts';
import { LayerTable } from './layer-table.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import type { StoredFile } from './stored-file.ts';
import { SEMANTIC as T } from './texts.ts';

interface VersionDialogProps {
  readonly version: FileVersion;
  readonly present: StoredFile;
  readonly hasDraft: boolean;
  readonly onRestored: () => void;
  readonly onClose: () => void;
}

function VersionDialog({ version, present, hasDraft, onRestored, onClose }: VersionDialogProps): ReactNode {
  const client = useQueryClient();
  const { id, file, number } = version;
  const title = T.versionTitle(number, file);
  const { data, error } = useVersion(id);
  // What the dialog shows is what it changes, also where the page has read a newer one meanwhile.
  const [base, setBase] = useState(present);
  const restore = async () => {
    try {
      await restoreVersion(id, base);
    } catch (failure) {
      if (!isConflict(failure)) throw failure;
      setBase(await newestFile(client, file));
      throw new Error(T.restoreConflict);
    }
    void client.invalidateQueries();
    onRestored();
  };
  if (data === undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        {error === null ? <Loading /> : <Alert error={error} />}
        <button type="button" onClick={onClose}>
          {TEXTS.close}
        </button>
      </Dialog>
    );
  }
  const effect = version.version === base.version ? T.same : T.restoreText;
  return (
    <ReviewDialog
      title={title}
      text={hasDraft ? `${effect} ${T.draftStays}` : effect}
      file={file}
      base={base}
      after={data.content.replaceAll('\r\n', '\n')}
      action={T.restore}
      run={restore}
      onClose={onClose}
    />
  );
}

const columnsWith = (show: (version: FileVersion) => void): readonly Column<FileVersion>[] => [
  { label: T.version, cell: ({ number }) => number.toLocaleString() },
  { label: T.replaced, cell: ({ replacedAt }) => <Time at={replacedAt} /> },
  { label: T.change, cell: ({ change }) => T.changeOf[change] ?? change },
  { label: T.by, cell: ({ replacedByLabel }) => <Text>{replacedByLabel}</Text> },
  { label: T.bytes, isNumber: true, cell: ({ bytes }) => bytes.toLocaleString() },
  {
    label: T.show,
    cell: (version) => (
      <button type="button" data-kind="quiet" aria-label={T.showVersion(version.number)} onClick={() => show(version)}>
        {T.show}
      </button>
    ),
  },
];

export interface FileVersionsProps {
  readonly file: string;
  readonly drafts: Drafts;
  readonly present: StoredFile;
}

export function FileVersions({ file, drafts, present }: FileVersionsProps): ReactNode {
  const { data, error, refetch } = useVersions(file);
  const [shown, setShown] = useState<FileVersion>();
  const [told, setTold] = useState('');
  if (isReadOnly(error)) return <p role="note">{T.readOnly}</p>;
  if (error !== null) return <Alert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <p>{data.versions.length === 0 ? T.noVersions : T.versionsIntro}</p>
      <p role="status" className={styles.told}>
        {told}
      </p>
      <LayerTable title={T.versions} columns={columnsWith(setShown)} rows={data.versions} />
      {shown !== undefined && (
        <VersionDialog
          version={shown}
          present={present}
          hasDraft={drafts.has(file)}
          onRestored={() => setTold(T.restored(shown.number))}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}
