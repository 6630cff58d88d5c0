/** Lists what a file was before, shows a version against the present file, and restores it. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ADMIN_KEY } from '../../api/queries.ts';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { Text } from '../parts.tsx';
import type { Column } from '../resource.ts';
import { type FileVersion, isReadOnly, restoreVersion, useVersion, useVersions } from './layer-queries.ts';
import { LayerTable } from './layer-table.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import type { StoredFile } from './stored-file.ts';
import { SEMANTIC as T } from './texts.ts';

interface VersionDialogProps {
  readonly version: FileVersion;
  /** `undefined`: the file has been deleted. */
  readonly present: StoredFile | undefined;
  readonly onRestored: () => void;
  readonly onClose: () => void;
}

function VersionDialog({ version, present, onRestored, onClose }: VersionDialogProps): ReactNode {
  const client = useQueryClient();
  const { id, file, number } = version;
  const { data, error } = useVersion(id);
  const restore = async () => {
    await restoreVersion(id, present?.version);
    void client.invalidateQueries({ queryKey: [ADMIN_KEY] });
    onRestored();
  };
  if (error !== null) return <Alert error={error} />;
  if (data === undefined) return null;
  return (
    <ReviewDialog
      title={T.versionTitle(number, file)}
      text={version.version === present?.version ? T.same : T.restoreText}
      file={file}
      before={present?.text ?? ''}
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
  readonly present: StoredFile | undefined;
}

export function FileVersions({ file, present }: FileVersionsProps): ReactNode {
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
          onRestored={() => setTold(T.restored(shown.number))}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}
