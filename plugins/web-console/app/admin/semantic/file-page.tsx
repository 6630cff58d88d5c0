/** Shows a file of the layer: what it says, its YAML to edit, and its versions. */
import { type ReactNode, type RefObject, useState } from 'react';
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
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

interface ContentsProps {
  readonly file: string;
  readonly hasProblems: boolean;
}

/** Shows what a file with metrics, terms or the catalog holds. */
function PartContents({ file, hasProblems }: ContentsProps): ReactNode {
  const all = [useMetrics(), useGlossary(), useCatalog()] as const;
  const [metrics, glossary, catalog] = all;
  const failed = all.find(({ error }) => error !== null);
  if (failed !== undefined) return <Alert error={failed.error} onRetry={() => void failed.refetch()} />;
  if (all.some(({ isPending }) => isPending)) return <Loading />;
  const rows = rowsOf({ metrics: metrics.data, glossary: glossary.data, catalog: catalog.data }, '', file);
  if (Object.values(rows).every((part) => part.length === 0)) return <p>{hasProblems ? T.unusable : T.nothingUsed}</p>;
  return <LayerParts {...rows} />;
}

function Contents({ file, hasProblems }: ContentsProps): ReactNode {
  const { data, error, refetch } = useEntities();
  if (data === undefined) return error === null ? <Loading /> : <Alert error={error} onRetry={() => void refetch()} />;
  const summary = data.entities.find((entity) => entity.file === file);
  if (summary === undefined) return <PartContents file={file} hasProblems={hasProblems} />;
  return <EntityContents summary={summary} />;
}

interface DeleteButtonProps {
  readonly file: string;
  readonly drafts: Drafts;
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
            text: drafts.has(file) ? `${T.deleteText(file)} ${T.draftGoes}` : T.deleteText(file),
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

export function FilePage({ file, drafts, heading }: FilePageProps): ReactNode {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const entities = useEntities();
  const { data, error, refetch } = useStoredFile(file);
  const versions = useVersions(file);
  const view = FILE_VIEWS.find((name) => name === query.get('view')) ?? 'contents';
  const isFixed = isReadOnly(versions.error);
  const isNew = isMissing(error);
  // What was read of a file stays after its deletion.
  const stored = isNew ? NEW_FILE : data;
  const problems = entities.data?.problems.filter((problem) => problem.file === file) ?? [];
  const title = entities.data?.entities.find((entity) => entity.file === file)?.name ?? file;
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
        <h1 ref={heading} tabIndex={-1}>
          <ShownText text={title} />
        </h1>
        {!isFixed && stored?.version !== undefined && <DeleteButton file={file} drafts={drafts} stored={stored} />}
      </div>
      <p className={ownStyles.path}>
        <ShownText text={file} />
      </p>
      {error !== null && !isNew && <Alert error={error} onRetry={() => void refetch()} />}
      {isNew && isFixed && <p>{T.notThereFixed}</p>}
      {stored === undefined && error === null && <Loading />}
      {stored !== undefined && !(isNew && isFixed) && (
        <Tabs
          label={T.tabs}
          tabs={tabs}
          selected={view}
          onSelect={(name) => navigate(addressOf(file, name), { replace: true })}
        >
          {isNew && <p>{T.notThere}</p>}
          {view === 'contents' && !isNew && <Contents file={file} hasProblems={problems.length > 0} />}
          {view === 'yaml' &&
            (versions.isPending ? (
              <Loading />
            ) : (
              <FileEditor file={file} drafts={drafts} stored={stored} problems={problems} isReadOnly={isFixed} />
            ))}
          {view === 'versions' && <FileVersions file={file} drafts={drafts} present={stored} />}
        </Tabs>
      )}
    </>
  );
}
