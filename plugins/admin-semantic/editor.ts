/** Changes files of the semantic layer, with what they were before and an entry of the audit log. */
import type { Logger, Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { FileChange, ImportedFile, ImportResult, SemanticLayerApi } from '../semantic-layer/index.ts';
import type { Recovery } from './recovery.ts';
import type { ChangeKind, VersionStore } from './store.ts';
import { versionOf } from './version-name.ts';

export interface Edit {
  readonly kind: ChangeKind;
  readonly files: readonly ImportedFile[];
  readonly connection?: string | undefined;
  /** Throws when the files are not as the client knows them. */
  check?(changes: readonly FileChange[]): void;
}

export type Editor = (edit: Edit, scope: Scope) => Promise<ImportResult>;

export interface EditorInit {
  readonly layer: SemanticLayerApi;
  readonly now: () => number;
  readonly logOf: (scope: Scope) => Logger;
  readonly db: InternalDb | undefined;
  readonly log: Audit | undefined;
  readonly versions: VersionStore | undefined;
  /** Runs before each change. */
  readonly recover: Recovery | undefined;
}

/** What an entry of the audit log shows of a file, in characters. */
const MAX_AUDITED = 4_000;
/** Files that it names of an import. */
const MAX_NAMED = 50;

function audited(content: string | Buffer | null) {
  if (content === null) return null;
  const text = content.toString();
  const isCut = text.length > MAX_AUDITED;
  const bytes = Buffer.byteLength(content);
  return { version: versionOf(content), bytes, content: isCut ? `${text.slice(0, MAX_AUDITED)}…` : text };
}

/** What the audit log is told: of one file what it was and is, of an import the names. */
function auditedChange({ kind, files }: Edit, changes: readonly FileChange[], orgId: string | null) {
  const [file] = files;
  if (kind === 'imported' || file === undefined) {
    const paths = changes.map(({ path }) => path);
    const type = 'semantic_layer';
    return {
      action: `${type}.imported`,
      target: { type, id: orgId ?? 'shared', label: orgId === null ? 'the shared layer' : `organization ${orgId}` },
      before: null,
      after: { files: files.length, changed: paths.length, paths: paths.slice(0, MAX_NAMED) },
    };
  }
  const { before, text } = changes[0] ?? { before: null, text: null };
  const move = before === null && kind === 'updated' ? 'created' : kind;
  return {
    action: `semantic_file.${move}`,
    target: { type: 'semantic_file', id: file.path, label: file.path },
    before: audited(before),
    after: audited(text),
  };
}

/** Without an internal database there are neither earlier versions nor an audit log. */
export function layerEditor({ layer, now, logOf, db, log, versions, recover }: EditorInit): Editor {
  return async (edit, scope) => {
    await recover?.();
    const { actor, orgId } = scope;
    const { files, kind, connection, check } = edit;
    const commit = async (changes: readonly FileChange[], place: () => Promise<void>): Promise<void> => {
      const change = auditedChange(edit, changes, orgId);
      if (db?.configured === true) {
        const by = { orgId, kind, at: new Date(now()).toISOString(), userId: actor.id, userLabel: actor.label };
        await db.transaction(async (trx) => {
          await versions?.lock(orgId, trx);
          const replaced = changes.flatMap(({ path, before }) => (before === null ? [] : [{ path, before }]));
          await versions?.add(replaced, by, trx);
          await log?.change(change, scope, trx);
          // Last: nothing but the end of the transaction can fail after it.
          await place();
        });
      } else {
        await place();
      }
      const { action, target } = change;
      logOf(scope).info({ action, target: target.id, changed: changes.length }, 'The semantic layer was changed.');
    };
    return layer.importLayer(orgId, files, { connection, commit, ...(check && { check }) });
  };
}
