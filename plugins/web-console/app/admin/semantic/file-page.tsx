/** Shows a file of the layer: what it says, its YAML to edit, and its versions. */
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { Tabs } from '../../result/parts/tabs.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { ShownText } from '../../ui/shown-text.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import styles from '../admin.module.css';
import { ADMIN } from '../texts.ts';
import type { Drafts } from './drafts.ts';
import { EntityContents } from './entity-contents.tsx';
import { FileEditor } from './file-editor.tsx';
import { FileVersions } from './file-versions.tsx';
import { addressOf, FILE_VIEWS, type FileView, LAYER_PATH } from './layer-links.tsx';
import { LayerParts } from './layer-parts.tsx';
import {
  deletion,
  isMissing,
  isReadOnly,
  useCatalog,
  useEntities,
  useGlossary,
  useMetrics,
  useStoredFile,
  useVersions,
} from './layer-queries.ts';
import { rowsOf } from './layer-rows.ts';
import ownStyles from './semantic.module.css';
import { NEW_FILE, type StoredFile } from './stored-file.ts';
import { SEMANTIC as T } from './texts.ts';

export interface FilePageProps {
  readonly file: string;
  readonly drafts: Drafts;
}

/** Of a file with metrics, terms or the catalog. */
function PartContents({ file }: { readonly file: string }): ReactNode {
  const [metrics, glossary, catalog] = [useMetrics(), useGlossary(), useCatalog()];
  return (
    <LayerParts {...rowsOf({ metrics: metrics.data, glossary: glossary.data, catalog: catalog.data }, '', file)} />
  );
}

interface DeleteButtonProps extends FilePageProps {
  readonly stored: StoredFile;
}

function DeleteButton({ file, drafts, stored }: DeleteButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [, navigate] = useLocation();
  return (
    <>
      <button type="button" data-kind="danger" onClick={() => setIsOpen(true)}>
        {T.delete}
      </button>
      {isOpen && (
        <ActionDialog
          action={{
            label: T.delete,
            text: T.deleteText(file),
            isDanger: true,
            command: () => deletion(file, stored.version ?? ''),
          }}
          onClose={() => setIsOpen(false)}
          onDone={() => {
            drafts.delete(file);
            navigate(LAYER_PATH);
          }}
        />
      )}
    </>
  );
}

export function FilePage({ file, drafts }: FilePageProps): ReactNode {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const entities = useEntities();
  const { data, error, refetch } = useStoredFile(file);
  const versions = useVersions(file);
  const summary = entities.data?.entities.find((entity) => entity.file === file);
  const view = FILE_VIEWS.find((name) => name === query.get('view')) ?? 'contents';
  const isFixed = isReadOnly(versions.error);
  const isNew = isMissing(error);
  // What was read of a file stays after its deletion.
  const present = isNew ? undefined : data;
  const edited = isNew ? NEW_FILE : data;
  const title = summary?.name ?? file;
  usePageTitle(title);
  const tabs: readonly { readonly name: FileView; readonly label: string }[] = FILE_VIEWS.map((name) => ({
    name,
    label: T[name],
  }));
  return (
    <>
      <p className={ownStyles.back}>
        <Link href={LAYER_PATH}>{ADMIN.areas.semantic}</Link>
      </p>
      <div className={styles.heading}>
        <h1>
          <ShownText text={title} />
        </h1>
        {!isFixed && present !== undefined && <DeleteButton file={file} drafts={drafts} stored={present} />}
      </div>
      <p className={ownStyles.path}>
        <ShownText text={file} />
      </p>
      {error !== null && !isNew && <Alert error={error} onRetry={() => void refetch()} />}
      {isNew && <p>{T.notThere}</p>}
      {entities.error !== null && <Alert error={entities.error} onRetry={() => void entities.refetch()} />}
      <Tabs
        label={T.tabs}
        tabs={tabs}
        selected={view}
        onSelect={(name) => navigate(addressOf(file, name), { replace: true })}
      >
        {view === 'contents' &&
          (summary === undefined ? <PartContents file={file} /> : <EntityContents summary={summary} />)}
        {view === 'yaml' &&
          (edited === undefined || versions.isPending ? (
            error === null && <Loading />
          ) : (
            <FileEditor
              file={file}
              drafts={drafts}
              stored={edited}
              problems={entities.data?.problems.filter((problem) => problem.file === file) ?? []}
              isReadOnly={isFixed}
            />
          ))}
        {view === 'versions' && <FileVersions file={file} drafts={drafts} present={edited} />}
      </Tabs>
    </>
  );
}
